/** Lets callers wait until nothing is scheduled or pending. */
export interface Settled {
  /** Resolves once idle, at once if it is now; rejects when closed first. */
  wait: () => Promise<void>
  /** Call whenever something finished. */
  check: () => void
  close(): void
}

/** Creates the wait for `isIdle`. */
export function createSettled(deps: { isIdle: () => boolean }): Settled {
  let waiting: Waiter[] = []
  let closed = false

  function release(end: (one: Waiter) => void): void {
    const released = waiting
    waiting = []
    released.forEach(end)
  }

  return {
    wait: () =>
      new Promise((resolve, reject) => {
        const one = { resolve, reject: () => reject(new Error('The sandbox was closed before it settled.')) }
        if (closed) one.reject()
        else if (deps.isIdle()) resolve()
        else waiting.push(one)
      }),
    check: () => {
      if (waiting.length > 0 && deps.isIdle()) release(({ resolve }) => resolve())
    },
    close: () => {
      closed = true
      release(({ reject }) => reject())
    },
  }
}

interface Waiter {
  resolve: () => void
  reject: () => void
}
