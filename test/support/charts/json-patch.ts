/** One operation of RFC 6902. */
interface Operation {
  op: string
  path: string
  value?: unknown
}

/** Applies `add`, `replace`, `remove` and `test` of RFC 6902 to a copy. Throws where an operation does not fit. */
export function applyJsonPatch(document: unknown, operations: readonly Operation[]): unknown {
  const patched: unknown = structuredClone(document)
  for (const operation of operations) apply(patched, operation)
  return patched
}

function apply(document: unknown, { op, path, value }: Operation): void {
  const steps = path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = steps.pop()
  if (last === undefined) throw new Error('no path')
  const parent = steps.reduce<unknown>((at, step) => (isContainer(at) ? Reflect.get(at, step) : undefined), document)
  if (!isContainer(parent)) throw new Error('no such path')
  const exists = Object.hasOwn(parent, last)
  if (op !== 'add' && !exists) throw new Error('no such path')
  if (op === 'test') {
    if (JSON.stringify(Reflect.get(parent, last)) !== JSON.stringify(value)) throw new Error('test failed')
  } else if (Array.isArray(parent)) {
    const at = last === '-' ? parent.length : Number(last)
    parent.splice(at, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [value]))
  } else if (op === 'remove') Reflect.deleteProperty(parent, last)
  else if (op === 'add' || op === 'replace') Reflect.set(parent, last, value)
  else throw new Error('unknown operation')
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
