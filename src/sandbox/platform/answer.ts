/** What a control answers with. */
export const success = (data: unknown) => ({ status: 'success', data })

/** Drops what is undefined: an absent option is not an option that is undefined. */
export function compact<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // The compiler cannot see that the undefined entries are gone; optional ones stay optional.
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
}
