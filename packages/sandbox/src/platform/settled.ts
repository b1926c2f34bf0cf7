/** Lets callers wait until the sandbox is idle. */
export interface Settled {
  /** Resolves once idle, immediately if it is already; rejects if closed first. */
  wait: () => Promise<void>
  /** Call after each finished transition or delivery. */
  check: () => void
  close(): void
}

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
