/** Whether two documents of the service have the same content. The text of a URL is ignored, since the service signs it anew with every answer; its presence is compared. */
export function isSameState(one: unknown, other: unknown): boolean {
  try {
    return isSame(one, other)
  } catch {
    // Nested too deeply to compare: treated as different, which costs another read.
    return false
  }
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  // Documents are JSON: their objects have string keys, in any order.
  const [a, b] = [one, other] as [Record<string, unknown>, Record<string, unknown>]
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && (areAddresses(key, a[key], b[key]) || isSame(a[key], b[key])))
  )
}

function areAddresses(key: string, one: unknown, other: unknown): boolean {
  return isAddressField(key) && typeof one === 'string' && typeof other === 'string'
}

/** Whether fields of this name hold URLs. */
export function isAddressField(key: string): boolean {
  return key === 'url' || key.endsWith('_url')
}
