/** A resource with a GET. */
export interface NamedResource {
  kind: 'prior_authorization' | 'benefit_verification'
  id: string
}

/** Excludes `.` and `..`, which would change a path. */
const usableId = /^(?!\.{1,2}$)[\w.:~-]{1,128}$/

/** Whether an id is safe in a URL, a log line and a key. */
export function isUsableId(id: string): boolean {
  return usableId.test(id)
}

/** The shapes of ids (specification, Resources), and the prefix for an id of another shape. */
const spellings = [
  { kind: 'prior_authorization', shape: /^pa_req_./, prefix: 'pa:' },
  { kind: 'benefit_verification', shape: /^bv_./, prefix: 'bv:' },
] as const

/** The form that `readResourceName` accepts, for messages. */
export const resourceNameForm = 'pa_req_… or bv_…, or any other id after pa: or bv:'

/** Reads an operator's name for a resource: an id whose shape shows its kind, or any id after `pa:` or `bv:`. Undefined for anything else. */
export function readResourceName(name: string): NamedResource | undefined {
  for (const { kind, shape, prefix } of spellings) {
    const id = name.startsWith(prefix) ? name.slice(prefix.length) : shape.test(name) ? name : undefined
    if (id !== undefined) return isUsableId(id) ? { kind, id } : undefined
  }
  return undefined
}
