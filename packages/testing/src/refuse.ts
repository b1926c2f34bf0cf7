/** Throws a TypeError with all faults of a built value; each fault is a sentence with its fix. */
export function refuse(what: string, faults: readonly (string | undefined | false)[]): void {
  const found = faults.filter((fault) => typeof fault === 'string')
  if (found.length > 0) throw new TypeError(`The service would never send this ${what}. ${found.join(' ')}`)
}
