import { isAddressField, isSameState } from './same-state.ts'

/** One field that differs between two snapshots. Only fields that hold codes tell their values: what stands in any other may be about a patient. */
export interface FieldChange {
  /** Its path, such as `outcome.detail_code`; `[]` stands for any item of a list. */
  field: string
  from?: string
  to?: string
}

/** The fields whose values are codes of the service, the status first. */
const codeFields = [
  'status',
  'state',
  'review_status',
  'outcome.result',
  'outcome.detail_code',
  'prescription_transfer.status',
  'prescription_transfer.error_code',
  'prescription_transfer.confirmed',
  'patient_coverage_status',
  'patient_coverage_type',
  'error.code',
  'error.detail_code',
  'message_thread.is_resolved',
] as const

const isCodeField: ReadonlySet<string> = new Set(codeFields)

/** The results that are no code by their shape (supplement, PA outcome). */
const results: ReadonlySet<unknown> = new Set(['Approved', 'Approval', 'Denied', 'Not Submitted', 'Other', 'Pending'])
const codeShape = /^[a-z][a-z0-9_]{0,63}$/
/** In place of what has not the shape of a code: it might be any text. */
const unshown = '?'

/** Further ones are not told apart: a document that changed in so many places changed as a whole. */
const maxFields = 40
/** Anything below is told by the field that holds it. */
const maxDepth = 8

/** The codes that a snapshot holds, by field. */
export function readCodes(document: unknown): Record<string, string> {
  const codes: Record<string, string> = {}
  for (const field of codeFields) {
    const code = codeOf(valueAt(document, field))
    if (code !== undefined) codes[field] = code
  }
  return codes
}

/** In which fields a snapshot differs from the one before, codes first; without one before, the codes that it begins with. Addresses that were only signed anew are passed over, as by `isSameState`. */
export function describeChange(before: unknown, now: unknown): FieldChange[] {
  const [codesBefore, codesNow] = [readCodes(before), readCodes(now)]
  const codes = codeFields.flatMap((field): FieldChange[] => {
    const [from, to] = [codesBefore[field], codesNow[field]]
    return from === to ? [] : [{ field, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }]
  })
  if (before === undefined) return codes
  const fields = new Set<string>()
  collect(before, now, '', 0, fields)
  const others = [...fields].filter((field) => !isCodeField.has(field)).toSorted()
  return [...codes, ...others.slice(0, maxFields).map((field) => ({ field }))]
}

function valueAt(document: unknown, path: string): unknown {
  let value = document
  for (const key of path.split('.')) value = isObject(value) ? value[key] : undefined
  return value
}

function codeOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'boolean') return String(value)
  return typeof value === 'string' && (results.has(value) || codeShape.test(value)) ? value : unshown
}

/** Adds the paths of all that differs. */
function collect(before: unknown, now: unknown, path: string, depth: number, fields: Set<string>): void {
  if (before === now || fields.size > maxFields) return
  if (depth < maxDepth && Array.isArray(before) && Array.isArray(now) && before.length === now.length) {
    for (const [index, item] of now.entries()) collect(before[index], item, `${path}[]`, depth + 1, fields)
    return
  }
  if (depth < maxDepth && isObject(before) && isObject(now)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
      const [was, is] = [before[key], now[key]]
      const isSignedAnew = isAddressField(key) && typeof was === 'string' && typeof is === 'string'
      if (!isSignedAnew) collect(was, is, path === '' ? nameOf(key) : `${path}.${nameOf(key)}`, depth + 1, fields)
    }
    return
  }
  if (isSameState(before, now)) return
  fields.add(Array.isArray(before) && Array.isArray(now) ? `${path}[]` : path || unshown)
}

/** Names of fields are the service's; a key of any other shape may be a value that somebody filed things under. */
function nameOf(key: string): string {
  return codeShape.test(key) ? key : unshown
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
