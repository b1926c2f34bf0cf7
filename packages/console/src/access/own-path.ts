/** A given path of this console; `/` in place of anything that may lead elsewhere. */
export function ownPath(given: unknown): string {
  return typeof given === 'string' && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,2000}$/.test(given) ? given : '/'
}
