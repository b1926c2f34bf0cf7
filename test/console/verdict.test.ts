import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { sayFinding } from '../../src/console/contract/status-verdict.ts'
import { type Facts, judge } from '../../src/console/judge-facts.ts'
import { runbookSections } from '../../src/console/runbook-sections.ts'
import { slugOf } from '../../src/console/markdown.tsx'

const now = Date.UTC(2026, 0, 31, 22, 13)
const well: Facts = {
  counts: { waiting: 0 },
  away: [],
  holds: [],
  groups: [],
  waitingCases: [],
  alerts: [],
  disk: undefined,
  queueOutage: undefined,
  audit: 'whole',
  newest: { receivedAt: now - 4_000, syncedAt: now - 3_200 },
  now,
}
const time = (at: number) => new Date(at).toISOString().slice(11, 16)
const say = (facts: Partial<Facts>) => judge({ ...well, ...facts }).map((each) => sayFinding(each, time))

const away = {
  system: 'ehr',
  forMs: 600_000,
  error: { code: 'ehr_write_failed', message: 'The chart did not answer: HTTP 503, transient.' },
}
const group = {
  state: 'parked',
  handler: 'to-chart',
  system: 'ehr',
  errorCode: 'ehr_write_failed',
  count: 12,
  newest: 1,
  newestAt: now,
  oldestAt: now,
  message: 'The chart did not take the note: HTTP 403, not retried.',
} as const

describe('the verdict', () => {
  it('says since when and why the chart is away, and that nothing is lost', () => {
    expect(say({ away: [away], waitingCases: [{ system: 'ehr', count: 120 }] })).toEqual([
      'The chart has been away since 22:03 (HTTP 503). 120 cases wait, nothing is lost.',
    ])
    const [finding] = judge({ ...well, away: [away] })
    expect(finding).toMatchObject({ tone: 'wait', runbook: 'the-chart-is-down', act: 'Pause system ehr' })
  })

  it('tells a system that refuses pawl from one that is away, since a person must act', () => {
    const error = { code: 'api_unauthorized', message: 'GET /prior-authorization/{id} (401): the token was refused' }
    const [finding] = judge({ ...well, away: [{ ...away, system: 'api', error }] })
    expect(finding).toMatchObject({ tone: 'bad', what: 'The service has refused pawl', why: 'HTTP 401' })
    expect(finding.runbook).toBe('the-api-token-expired')
  })

  it('does not repeat that a system is away while it is paused', () => {
    const hold = { kind: 'system', name: 'ehr', since: now - 60_000, forMs: 60_000, reason: 'an update' } as const
    expect(say({ away: [away], holds: [hold] })).toEqual([
      'The chart has been paused since 22:12 (an update). Nothing waits for it yet.',
    ])
  })

  it('counts parked work once for each cause, with the refusal in words', () => {
    expect(say({ groups: [group, { ...group, handler: 'notes-to-chart', count: 3 }] })).toEqual([
      '15 pieces of work are parked. The chart refuses: HTTP 403. They wait for you, nothing is lost.',
    ])
  })

  it('puts a full disk before everything, and work that is tried again before nothing', () => {
    const disk = { state: 'full', warning: 'Make room there.' }
    expect(judge({ ...well, disk, away: [away], groups: [group] }).map(({ tone }) => tone)).toEqual([
      'bad',
      'wait',
      'bad',
    ])
    expect(say({ groups: [{ ...group, state: 'failing' }] })[0]).toMatch(/^All is well/)
  })

  it('says of a good day when the newest delivery came and how soon it was in step', () => {
    expect(say({})).toEqual(['All is well. The newest delivery came 4 s ago and was in step after 800 ms.'])
    expect(say({ newest: undefined })).toEqual(['All is well. No webhook has come lately.'])
  })

  it('leads to sections that the runbook has', async () => {
    const text = await readFile(new URL('../../docs/runbook.md', import.meta.url), 'utf8')
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => slugOf(title))
    expect(sections).toEqual(expect.arrayContaining(Object.values(runbookSections)))
    const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, section]) => section)
    expect(sections).toEqual(expect.arrayContaining(links))
  })
})
