import type { Archive } from './archive.ts'
import type { SandboxClock } from './sandbox-clock.ts'

/** Due times in sandbox time, one per key. */
export interface Schedule {
  /** Sets the due time (ms since 1970) of the key, replacing an earlier one. */
  set(key: string, at: number): void
  clear(key: string): void
  clearAll(): void
  /** Restores the archived entries. Call once, when `run` is ready for them. */
  resume(): void
  /** Advances sandbox time to the next entry and runs it; returns its key and the entered state, or undefined without an entry. */
  step(): { key: string; state: string | undefined } | undefined
  /** Advances sandbox time by `ms` and runs every due entry at its own time; returns their number. */
  advance: (ms: number) => number
  size(): number
  /** Due time of the next entry, ms since 1970; undefined without one. */
  next(): number | undefined
  stop(): void
}

interface Entry {
  at: number
  order: number
  key: string
}

/** Longest delay that setTimeout supports. */
const maxTimerMs = 2 ** 31 - 1

/** Calls `run` with each due key in order of time, and `changed` after each run and clear. `run` returns the entered state. */
export function createSchedule(deps: {
  clock: SandboxClock
  archive: Archive
  run: (key: string) => string | undefined
  changed: () => void
}): Schedule {
  const { clock, archive, run, changed } = deps
  const heap = createHeap()
  const live = new Map<string, Entry>()
  let timer: NodeJS.Timeout | undefined
  let order = 0
  let stopped = false

  /** The next live entry: neither replaced nor cleared. */
  function first(): Entry | undefined {
    for (let top = heap.peek(); top !== undefined; top = heap.peek()) {
      if (live.get(top.key) === top) return top
      heap.pop()
    }
    return undefined
  }

  function runFirst(entry: Entry): string | undefined {
    heap.pop()
    live.delete(entry.key)
    archive.remove('due', entry.key)
    return run(entry.key)
  }

  function tick(): void {
    for (let entry = first(); entry !== undefined && entry.at <= clock.now(); entry = first()) runFirst(entry)
    arm()
    changed()
  }

  function arm(): void {
    clearTimeout(timer)
    const entry = first()
    if (stopped || entry === undefined) return
    const wait = clock.wallMsUntil(entry.at)
    if (wait !== Infinity) timer = setTimeout(tick, Math.min(wait, maxTimerMs))
  }

  const set = (key: string, at: number) => {
    const entry = { at, order: order++, key }
    live.set(key, entry)
    archive.put('due', key, at)
    heap.push(entry)
    if (first() === entry) arm()
  }

  function clearAll(): void {
    for (const key of live.keys()) archive.remove('due', key)
    live.clear()
    arm()
    queueMicrotask(changed)
  }

  function step() {
    const entry = first()
    if (entry === undefined) return undefined
    clock.moveTo(entry.at)
    const state = runFirst(entry)
    arm()
    changed()
    return { key: entry.key, state }
  }

  return {
    set,
    clear: (key) => {
      // A caller may set the key again immediately, so check for remaining entries only afterwards.
      if (!live.delete(key)) return
      archive.remove('due', key)
      queueMicrotask(changed)
    },
    clearAll,
    resume: () => {
      // The compiler cannot see that only `set` writes these.
      for (const { id, value } of archive.list('due')) set(id, value as number)
    },
    step,
    advance: (ms) => {
      const target = clock.now() + ms
      let ran = 0
      for (let entry = first(); entry !== undefined && entry.at <= target; entry = first()) {
        step()
        ran += 1
      }
      clock.moveTo(target)
      arm()
      return ran
    },
    size: () => live.size,
    next: () => first()?.at,
    stop: () => {
      stopped = true
      live.clear()
      clearTimeout(timer)
    },
  }
}

function createHeap() {
  const items: Entry[] = []
  const isBefore = (one: Entry, other: Entry) => one.at - other.at || one.order - other.order
  const at = (index: number): Entry => {
    const entry = items[index]
    if (entry === undefined) throw new RangeError('outside the heap')
    return entry
  }
  const swapped = (child: number, parent: number): boolean => {
    if (isBefore(at(child), at(parent)) >= 0) return false
    ;[items[child], items[parent]] = [at(parent), at(child)]
    return true
  }
  return {
    peek: () => items[0],
    push: (entry: Entry) => {
      let child = items.push(entry) - 1
      while (child > 0) {
        const parent = (child - 1) >> 1
        if (!swapped(child, parent)) return
        child = parent
      }
    },
    pop: () => {
      const last = items.pop()
      if (last === undefined || items.length === 0) return
      items[0] = last
      let parent = 0
      for (;;) {
        const [left, right] = [2 * parent + 1, 2 * parent + 2]
        if (left >= items.length) return
        const child = right < items.length && isBefore(at(right), at(left)) < 0 ? right : left
        if (!swapped(child, parent)) return
        parent = child
      }
    },
  }
}
