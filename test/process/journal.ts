import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'

/** Reads what processes of `overlap-main.ts` wrote, fails where two worked on one resource at once, and tells how often each resource was worked on. */
export async function readJournal(path: string): Promise<Map<string, number>> {
  const inWork = new Set<string>()
  const runs = new Map<string, number>()
  for (const line of (await readFile(path, 'utf8')).trim().split('\n')) {
    const [what, id = ''] = line.split(' ')
    if (what === 'begin') {
      expect(inWork.has(id), `${id} is worked on by two at once`).toBe(false)
      inWork.add(id)
      runs.set(id, (runs.get(id) ?? 0) + 1)
    } else inWork.delete(id)
  }
  expect(inWork.size).toBe(0)
  return runs
}
