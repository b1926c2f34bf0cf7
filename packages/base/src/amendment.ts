import { parseJson } from './parse-json.ts'
import type { Remembered } from './system-notes.ts'

/** How a system writes the records of one resource otherwise than usual, as a person decided: names and codes only. */
export interface Amendment {
  /** Elements left out, such as `DocumentReference.context`. */
  without: readonly string[]
  /** Type of its documents, as `system|code`. */
  document_type?: string | undefined
}

/** The role under which a system's memory of a resource holds its amendment. */
export const amendmentRole = 'amendment'

/** Whether nothing is amended. */
export function isUsual({ without, document_type: type }: Amendment): boolean {
  return without.length === 0 && type === undefined
}

/** The memory of an amendment. */
export function noteOfAmendment(amendment: Amendment): Remembered {
  return { id: JSON.stringify(amendment) }
}

/** The amendment that a memory holds; undefined: records are written as usual. */
export function amendmentIn(remembered: Remembered | undefined): Amendment | undefined {
  // Written by `noteOfAmendment`.
  return remembered && (parseJson(remembered.id) as Amendment | undefined)
}
