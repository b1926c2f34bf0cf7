/** Whether something has been true at every look for so long, in milliseconds of time that passed, however the clock was set meanwhile. */
export type Lasting = (what: string, isTrue: boolean, forMs: number) => boolean

/** Makes a memory of what is true, in this process alone. */
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
