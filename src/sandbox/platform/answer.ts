/** The success body of a control. */
export const success = (data: unknown) => ({ status: 'success', data })

/** Drops undefined entries: an absent option differs from one that is undefined. */
export function compact<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // The compiler cannot see that the undefined entries are gone; optional ones stay optional.
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
}
