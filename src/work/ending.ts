/** An end that comes at most once, with its reason. */
export interface Ending {
  /** Ends it, unless it has ended. */
  end(this: void, reason: unknown): void
  isOver(this: void): boolean
  /** The reason of the end; `undefined` before it. */
  reason(this: void): unknown
  /** Throws the reason after the end. */
  throwIfOver(this: void): void
  /** Calls `listen` at the end, or at once after it; the result removes the listener. */
  onEnd(this: void, listen: (reason: unknown) => void): () => void
  /** Aborts with the reason at the end. */
  readonly signal: AbortSignal
}

/** Makes an ending. Its signal is made when it is first read: making and aborting one costs more than most runs of a handler. */
export function createEnding(): Ending {
  const listeners = new Set<(reason: unknown) => void>()
  let over: { reason: unknown } | undefined
  let controller: AbortController | undefined
  return {
    end(reason) {
      if (over !== undefined) return
      over = { reason }
      for (const listen of listeners) listen(reason)
      listeners.clear()
      controller?.abort(reason)
    },
    isOver: () => over !== undefined,
    reason: () => over?.reason,
    throwIfOver() {
      // The reason of an ending is thrown as it is, as an AbortSignal does.
      if (over !== undefined) throw over.reason as Error
    },
    onEnd(listen) {
      if (over === undefined) listeners.add(listen)
      else listen(over.reason)
      return () => void listeners.delete(listen)
    },
    get signal() {
      if (controller === undefined) {
        controller = new AbortController()
        if (over !== undefined) controller.abort(over.reason)
      }
      return controller.signal
    },
  }
}
