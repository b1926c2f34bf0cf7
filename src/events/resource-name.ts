/** A resource that has a GET. */
export interface NamedResource {
  kind: 'prior_authorization' | 'benefit_verification'
  id: string
}

const usableId = /^[\w.:~-]{1,128}$/

/** Whether an id can safely stand in an address, a log line and a key. */
export function isUsableId(id: string): boolean {
  return usableId.test(id)
}

/** The shapes of ids (specification, Resources), and what goes before an id of another shape. */
const spellings = [
  { kind: 'prior_authorization', shape: /^pa_req_./, prefix: 'pa:' },
  { kind: 'benefit_verification', shape: /^bv_./, prefix: 'bv:' },
] as const

/** How `readResourceName` wants it, for messages. */
export const resourceNameForm = 'pa_req_… or bv_…, or an id of another shape behind pa: or bv:'

/** Reads how an operator names a resource: by an id whose shape tells its kind, or by any id behind `pa:` or `bv:`; `undefined` where it is neither. */
export function readResourceName(name: string): NamedResource | undefined {
  for (const { kind, shape, prefix } of spellings) {
    const id = name.startsWith(prefix) ? name.slice(prefix.length) : shape.test(name) ? name : undefined
    if (id !== undefined) return isUsableId(id) ? { kind, id } : undefined
  }
  return undefined
}
