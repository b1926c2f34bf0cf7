import type { Amendment } from '@pawl/base/amendment'
import type { StoredByType, StoredType } from './chart-types.ts'
import { coding } from './settings.ts'

/** Elements that a person may have left out: none that says whom and what a record is about, what it tells, whether it counts, or who answers for it. */
const omissible: Readonly<Record<StoredType, readonly string[]>> = {
  DocumentReference: [
    'author',
    'category',
    'context',
    'context.encounter',
    'context.period',
    'description',
    'extension',
    'securityLabel',
    'type',
  ],
  Task: ['basedOn', 'extension', 'focus', 'input', 'owner', 'priority', 'requester', 'restriction'],
  Communication: ['category', 'extension', 'partOf', 'recipient', 'sender'],
  ClaimResponse: ['extension', 'request', 'requestor'],
  CoverageEligibilityResponse: ['extension', 'request'],
  Coverage: ['class', 'extension', 'relationship'],
}

const omissiblePaths = Object.entries(omissible).flatMap(([type, names]) => names.map((name) => `${type}.${name}`))

/** Why records cannot be amended so, a sentence; undefined: they can. */
export function amendFault({ without, document_type: type }: Amendment): string | undefined {
  if (!without.every((path) => omissiblePaths.includes(path)))
    return `An element cannot be left out, or is none that pawl writes; these can: ${omissiblePaths.join(', ')}.`
  return type === undefined || coding.safeParse(type).success ? undefined : 'A document type is system|code.'
}

/** The resource with its amendment. */
export function amend<T extends StoredType>(
  type: T,
  resource: StoredByType[T],
  { without, document_type: documentType }: Amendment,
): StoredByType[T] {
  const amended: Record<string, unknown> = { ...resource }
  if (type === 'DocumentReference' && documentType !== undefined) {
    const { system, code } = coding.parse(documentType)
    amended.type = { coding: [{ system, code }] }
  }
  for (const path of without) {
    const [of, name = '', part] = path.split('.')
    if (of !== type) continue
    const kept = part === undefined ? undefined : withoutPart(amended[name], part)
    if (kept === undefined) delete amended[name]
    else amended[name] = kept
  }
  // The compiler cannot see that FHIR demands none of the omissible elements.
  return amended as object as StoredByType[T]
}

/** The element without its part; undefined if nothing is left. */
function withoutPart(element: unknown, part: string): object | undefined {
  const kept = Object.entries({ ...(element as object | undefined) }).filter(([name]) => name !== part)
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}
