/** Whether a condition has been true at every check for `forMs` milliseconds of monotonic time. */
export type Lasting = (what: string, isTrue: boolean, forMs: number) => boolean

/** Tracks conditions, in this process only. */
export function createLasting(elapsed: () => number): Lasting {
  const since = new Map<string, number>()
  return (what, isTrue, forMs) => {
    if (!isTrue) {
      since.delete(what)
      return false
    }
    const from = since.get(what) ?? elapsed()
    since.set(what, from)
    return elapsed() - from >= forMs
  }
}
