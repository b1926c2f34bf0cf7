import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'

/** What processes of `journal-main.ts` note. */
export type Note = 'begin' | 'wrote' | 'effect' | 'remembered' | 'end' | 'killed'

/** One line of the journal that all processes of a test share. */
export interface JournalLine {
  /** Milliseconds, by a clock that all processes of a machine share and nobody sets. */
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
    // What was on its way when a run ran out of time may end after it, as long as nobody else began.
    if (note === 'wrote') expect(lastHolder.get(id), `${id}: ${pid} wrote though another began`).toBe(pid)
    if (note === 'effect') expect(remembered.has(key), `${key}: ran again after it was recorded`).toBe(false)
    if (note === 'remembered') remembered.add(key)
    if (note === 'end' && holder?.pid === pid) open.delete(id)
  }
}

/** The last status that was written of each resource. */
export function readChart(lines: readonly JournalLine[]): Map<string, string> {
  return new Map(lines.flatMap(({ note, id, detail }) => (note === 'wrote' ? [[id, detail]] : [])))
}
