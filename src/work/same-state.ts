/** Whether two documents of the service say the same. Addresses are passed over: the service signs them anew with every answer. */
export function isSameState(one: unknown, other: unknown): boolean {
  try {
    return isSame(one, other)
  } catch {
    // Nested too deeply to be told apart: taken as different, which costs another look.
    return false
  }
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  // Documents are JSON: their objects have string keys, in whatever order.
  const [a, b] = [one, other] as [Record<string, unknown>, Record<string, unknown>]
  const keys = Object.keys(a).filter(isCompared)
  return (
    keys.length === Object.keys(b).filter(isCompared).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
  )
}

function isCompared(key: string): boolean {
  return key !== 'url' && !key.endsWith('_url')
}
