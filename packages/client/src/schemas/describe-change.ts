import { isDocumentedCode, isDocumentedField, loggableFields, undocumented } from './documented.ts'
import { isAddressField, isSameState } from './same-state.ts'

/** One field that differs between two snapshots. Holds only documented field names and codes: any other text may be about a patient. */
export interface FieldChange {
  /** The path, such as `outcome.detail_code`; `[]` stands for any item of a list. */
  field: string
  from?: string
  to?: string
}

/** Max listed fields: beyond it, the document counts as changed as a whole. */
const maxFields = 40
/** Max depth: deeper changes are reported by the field at this depth. */
const maxDepth = 8

const toldPaths = [...loggableFields].map((field) => [field, field.split('.')] as const)

/** The codes in a snapshot, by field; `?` for an undocumented code. */
export function readCodes(document: unknown): Record<string, string> {
  const codes: Record<string, string> = {}
  for (const [field, keys] of toldPaths) {
    const code = codeOf(field, valueAt(document, keys))
    if (code !== undefined) codes[field] = code
  }
  return codes
}

/** The fields in which a snapshot differs from the previous one, codes first; without a previous one, its codes. Re-signed URLs are ignored, as by `isSameState`. */
export function describeChange(before: unknown, now: unknown): FieldChange[] {
  const [codesBefore, codesNow] = [readCodes(before), readCodes(now)]
  const codes = [...loggableFields].flatMap((field): FieldChange[] => {
    const [from, to] = [codesBefore[field], codesNow[field]]
    return from === to ? [] : [{ field, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }]
  })
  if (before === undefined) return codes
  const fields = new Set<string>()
  collect(before, now, '', 0, fields)
  const others = [...fields].filter((field) => !loggableFields.has(field)).toSorted()
  return [...codes, ...others.slice(0, maxFields).map((field) => ({ field }))]
}

function valueAt(document: unknown, keys: readonly string[]): unknown {
  let value = document
  for (const key of keys) value = isObject(value) ? value[key] : undefined
  return value
}

function codeOf(field: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'boolean') return String(value)
  return typeof value === 'string' && isDocumentedCode(field, value) ? value : undocumented
}

/** Adds the paths of all differences. */
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
  fields.add(Array.isArray(before) && Array.isArray(now) ? `${path}[]` : path || undocumented)
}

function nameOf(key: string): string {
  return isDocumentedField(key) ? key : undocumented
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
