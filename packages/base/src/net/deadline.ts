/** Ends with the signal it was made from, if any, or after a time of its own. */
export interface Deadline {
  signal: AbortSignal
  /** Its time ran out. */
  isOver(): boolean
  /** Call it once the work is done: nothing of it stays behind. */
  end(): void
}

/** A deadline for one request. `AbortSignal.any` and `AbortSignal.timeout` do the same, and leave their signals to finalizers, which costs more than the request. */
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
