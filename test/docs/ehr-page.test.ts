import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { ChartFile, StaffTask, TaskEnding } from '#pawl'
import { demandRows } from '../../scripts/render-demands.ts'
import { profileNames, profileOverrides } from '../../packages/ehr/src/fhir/profiles/profile.ts'

// The compiler refuses each of these that lacks a word, or has one too many.
const fields: Record<keyof StaffTask, true> = {
  title: true,
  reason: true,
  key: true,
  instructions: true,
  dueAt: true,
  owner: true,
}
const endings: Record<TaskEnding, true> = { completed: true, cancelled: true }
const kinds: Record<ChartFile['kind'], true> = {
  letter: true,
  fax_sent: true,
  fax_received: true,
  attachment: true,
  other: true,
}

/** The section about staff tasks, from the words `start` on. */
async function readSection(start: string): Promise<string> {
  const page = await readFile('docs/ehr.md', 'utf8')
  const section = page.split('\n## ').find((each) => each.startsWith('What a handler says of a staff task'))
  return section?.slice(section.indexOf(start)) ?? ''
}

const firstColumn = (table: string) =>
  (table.split('\n\n')[1] ?? '').split('\n').flatMap((row) => /^\| `(\w+)`/.exec(row)?.[1] ?? [])

describe('docs/ehr.md names', () => {
  it('each field of a staff task', async () => {
    expect(firstColumn(await readSection('`ehr.openStaffTask')).toSorted()).toEqual(Object.keys(fields).toSorted())
  })

  it('each way in which one ends', async () => {
    expect(firstColumn(await readSection('`ehr.closeStaffTask')).toSorted()).toEqual(Object.keys(endings).toSorted())
  })

  it('the demands of each profile that has any, each with its source and date', async () => {
    const page = await readFile('docs/ehr.md', 'utf8')
    const demanding = profileNames.filter((name) => demandRows(name).length > 0)
    expect(demanding).toEqual(['us-core', 'epic', 'oracle-health', 'canvas', 'athenapractice'])
    for (const name of demanding) expect(page).toMatch(new RegExp(`^\\| demand of ${name} `, 'm'))
    for (const row of demanding.flatMap((name) => demandRows(name))) {
      expect(row.at(-1)).toMatch(/.{20,}, \d{4}-\d\d-\d\d$/)
      expect(row.every((cell) => cell !== '')).toBe(true)
    }
  })

  it('each part of a profile that a setting may override', async () => {
    const page = await readFile('docs/ehr.md', 'utf8')
    const table = /\n### A chart that differs(.*?)\n### /s.exec(page)?.[1] ?? ''
    const parts = Object.entries(profileOverrides.shape).flatMap(([type, schema]) => [
      `**\`${type}\`**`,
      ...Object.keys(schema.unwrap().shape).map((part) => `\`${part}\``),
    ])
    expect(parts.length).toBeGreaterThan(25)
    for (const part of parts) expect(table).toContain(part)
  })

  it('each kind of file', async () => {
    const sentence = (await readSection('`ehr.putFile')).split('\n')[0] ?? ''
    const named = [...sentence.matchAll(/`(\w+)`/g)].flatMap(([, word]) => word ?? [])
    expect(named.filter((word) => word !== 'kind').toSorted()).toEqual(Object.keys(kinds).toSorted())
  })
})
