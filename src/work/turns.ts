/** Lets pieces of work run beside each other, or one of them alone. */
export interface Turns {
  /** Runs beside others, once nobody is alone or waits to be. */
  beside<T>(act: () => Promise<T>): Promise<T>
  /** Runs alone, once all that runs has ended; one after the other. */
  alone<T>(act: () => Promise<T>): Promise<T>
}

export function createTurns(): Turns {
  let besideCount = 0
  let onEmpty = () => {}
  /** Those that run alone or wait to. */
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
