import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'

/** Notes of the processes of `journal-main.ts`. */
export type Note = 'begin' | 'may_write' | 'wrote' | 'effect' | 'remembered' | 'end' | 'killed'

/** One line of the journal that all processes of a test share. */
export interface JournalLine {
  /** Milliseconds, by a monotonic clock that all processes of a machine share. */
  at: number
  pid: number
  note: Note
  id: string
  /** The status that was written, or the key of the effect. */
  detail: string
}

/** Adds a line; one append is atomic, so the order of lines is the order of what happened. */
export function noteDown(path: string, pid: number, note: Note, id: string, detail = '-'): void {
  const at = Math.round(Number(process.hrtime.bigint() / 1_000_000n))
  appendFileSync(path, `${at} ${pid} ${note} ${id} ${detail}\n`)
}

export function readJournal(path: string): JournalLine[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => {
    const [at, pid, note, id = '', detail = ''] = line.split(' ')
    // Only noteDown writes lines.
    return { at: Number(at), pid: Number(pid), note: note as Note, id, detail }
  })
}

/**
 * Fails where two worked on one resource at once, where a run wrote after its successor began, and where an effect ran again after its success was recorded.
 * Of a process that was killed no run ends; its resources are free as soon as that was noted. One that the machine held up cannot say that it gave its run up: a successor may begin once the lease is over.
 * It began with the claim, before the run did; so half of it is asked for here, while two that claim at once begin within a few milliseconds.
 */
export function expectOrderly(
  lines: readonly JournalLine[],
  { leaseMs, mayOverlap }: { leaseMs: number; mayOverlap: (id: string) => boolean },
): void {
  const open = new Map<string, JournalLine>()
  const lastHolder = new Map<string, number>()
  const remembered = new Set<string>()
  for (const line of lines) {
    const { at, pid, note, id, detail } = line
    const key = `${id} ${detail}`
    const holder = open.get(id)
    if (note === 'killed') for (const [held, { pid: by }] of open) if (by === pid) open.delete(held)
    if (note === 'begin') {
      if (holder !== undefined && !mayOverlap(id))
        expect(at - holder.at, `${id}: ${pid} began while ${holder.pid} had it`).toBeGreaterThan(leaseMs / 2)
      open.set(id, line)
      lastHolder.set(id, pid)
    }
    // When the answer to a write comes says nothing: the write may have been on its way when the run lost its time.
    if (note === 'may_write') expect(lastHolder.get(id), `${id}: ${pid} may write though another began`).toBe(pid)
    if (note === 'effect') expect(remembered.has(key), `${key}: ran again after it was recorded`).toBe(false)
    if (note === 'remembered') remembered.add(key)
    if (note === 'end' && holder?.pid === pid) open.delete(id)
  }
}

/** How often each resource was worked on. Fails where a run has not ended. */
export function countRuns(lines: readonly JournalLine[]): Map<string, number> {
  const runs = new Map<string, number>()
  const ended = new Map<string, number>()
  for (const { note, id } of lines) {
    if (note === 'begin') runs.set(id, (runs.get(id) ?? 0) + 1)
    if (note === 'end') ended.set(id, (ended.get(id) ?? 0) + 1)
  }
  expect(ended).toEqual(runs)
  return runs
}

/** The last status that was written of each resource, by the order in which the writes were begun: their answers may come in another. */
export function readChart(lines: readonly JournalLine[]): Map<string, string> {
  const begun = new Map<string, number>()
  const latest = new Map<string, { begunAt: number; status: string }>()
  for (const [place, { pid, note, id, detail }] of lines.entries()) {
    const write = `${pid} ${id} ${detail}`
    if (note === 'may_write') begun.set(write, place)
    if (note !== 'wrote') continue
    const begunAt = begun.get(write) ?? place
    if (begunAt >= (latest.get(id)?.begunAt ?? 0)) latest.set(id, { begunAt, status: detail })
  }
  return new Map([...latest].map(([id, { status }]) => [id, status]))
}
