/** Runs pieces of work concurrently, or one exclusively. */
export interface Turns {
  /** Runs concurrently, once no exclusive work runs or waits. */
  beside<T>(act: () => Promise<T>): Promise<T>
  /** Runs exclusively, after all running work has ended, in the order of the calls. */
  alone<T>(act: () => Promise<T>): Promise<T>
}

export function createTurns(): Turns {
  let besideCount = 0
  let onEmpty = () => {}
  /** Exclusive work that runs or waits. */
  const loners = new Set<symbol>()
  let lastAlone: Promise<unknown> = Promise.resolve()

  const emptied = () =>
    besideCount === 0 ? Promise.resolve() : new Promise<void>((resolve) => (onEmpty = () => resolve()))

  return {
    async beside(act) {
      while (loners.size > 0) await lastAlone
      besideCount += 1
      try {
        return await act()
      } finally {
        besideCount -= 1
        if (besideCount === 0) onEmpty()
      }
    },
    alone<T>(act: () => Promise<T>): Promise<T> {
      const loner = Symbol('alone')
      loners.add(loner)
      const turn = lastAlone.then(emptied).then(act)
      const end = () => void loners.delete(loner)
      lastAlone = turn.then(end, end)
      return turn
    },
  }
}
