/** Throws what is wrong with what a test builds, each fault a sentence that says what to do. */
export function refuse(what: string, faults: readonly (string | undefined | false)[]): void {
  const found = faults.filter((fault) => typeof fault === 'string')
  if (found.length > 0) throw new TypeError(`The service would never send this ${what}. ${found.join(' ')}`)
}
