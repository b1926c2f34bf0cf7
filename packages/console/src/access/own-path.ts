/** A path of this console; `/` in place of any other address. */
export function ownPath(given: unknown): string {
  return typeof given === 'string' && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,2000}$/.test(given) ? given : '/'
}
