/** Whether two documents of the service say the same. Addresses are passed over: the service signs them anew with every answer. */
export function isSameState(one: unknown, other: unknown): boolean {
  return withoutUrls(one) === withoutUrls(other)
}

function withoutUrls(document: unknown): string {
  return JSON.stringify(document, (key, value: unknown) => (key === 'url' || key.endsWith('_url') ? undefined : value))
}
