export interface BatchesOptions<Item> {
  /** Milliseconds for which items are gathered; with 0, each is flushed by itself. */
  windowMs: number
  /** Must not reject. */
  flush: (items: Item[]) => Promise<void>
}

/** Gathers items for a while and flushes them together. */
export interface Batches<Item> {
  /** Flushes the item within `maxWaitMs`, even if the window is longer. */
  add(item: Item, maxWaitMs: number): void
  /** Flushes the gathered items at once. */
  close(): void
}

export function createBatches<Item>({ windowMs, flush }: BatchesOptions<Item>): Batches<Item> {
  let gathered: Item[] = []
  let timer: { id: NodeJS.Timeout; firesAt: number } | undefined

  function flushNow(): void {
    clearTimeout(timer?.id)
    timer = undefined
    const items = gathered
    gathered = []
    if (items.length > 0) void flush(items)
  }

  return {
    add(item, maxWaitMs) {
      if (windowMs === 0) return void flush([item])
      gathered.push(item)
      const waitMs = Math.max(0, Math.min(windowMs, maxWaitMs))
      const firesAt = performance.now() + waitMs
      if (timer !== undefined && timer.firesAt <= firesAt) return
      clearTimeout(timer?.id)
      timer = { id: setTimeout(flushNow, waitMs), firesAt }
    },
    close: flushNow,
  }
}
