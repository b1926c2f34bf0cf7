/** Ends with its outer signal, if any, or after its own time limit. */
export interface Deadline {
  signal: AbortSignal
  /** Whether its own time limit has passed. */
  isOver(): boolean
  /** Removes timer and listener; call it once the work is done. */
  end(): void
}

/** Starts the deadline of one request. `AbortSignal.any` and `AbortSignal.timeout` would leave their signals to finalizers, which costs more than the request. */
export function startDeadline(outer: AbortSignal | undefined, ms: number): Deadline {
  const controller = new AbortController()
  let isOver = false
  const give = () => controller.abort(outer?.reason)
  const timer = setTimeout(() => {
    isOver = true
    controller.abort(new DOMException(`The time of ${ms} ms was up.`, 'TimeoutError'))
  }, ms).unref()
  if (outer?.aborted === true) give()
  outer?.addEventListener('abort', give, { once: true })
  return {
    signal: controller.signal,
    isOver: () => isOver,
    end() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', give)
    },
  }
}
