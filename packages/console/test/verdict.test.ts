import { readFile } from 'node:fs/promises'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { describe, expect, it } from 'vitest'
import type { ShownAlert } from '../src/alerts/alerts.ts'
import { describeAlert } from '../src/alerts/describe-alert.ts'
import { sayFinding } from '../src/contract/status-verdict.ts'
import type { Facts } from '../src/verdict/facts.ts'
import { pausedAtStart } from '../../ledger/src/hot/pause.ts'
import { credentialsAmong } from '../src/verdict/credential-settings.ts'
import { judge } from '../src/verdict/judge-facts.ts'
import { refusalCheckOf } from '../src/refusal-checks.ts'
import { VerdictBlock } from '../src/pages/verdict.tsx'
import { ViewerContext } from '../src/pages/viewer.tsx'
import { runbookSections } from '../src/runbook-sections.ts'
import { slugOf } from '../src/markdown.tsx'

const now = Date.UTC(2026, 0, 31, 22, 13)
const well: Facts = {
  counts: { due: 0, waiting: 0, oldestDueMs: 0 },
  away: [],
  pauses: [],
  groups: [],
  waitingCases: [],
  alerts: [],
  disk: undefined,
  queueOutage: undefined,
  audit: 'whole',
  newest: { receivedAt: now - 4_000, syncedAt: now - 3_200 },
  now,
}
const operator = { name: undefined, rights: new Set(['operate'] as const), formToken: '', hasSession: false }
const time = (at: number) => new Date(at).toISOString().slice(11, 16)
const say = (facts: Partial<Facts>) => judge({ ...well, ...facts }).map((each) => sayFinding(each, time))

const away = {
  system: 'ehr',
  forMs: 600_000,
  error: { code: 'ehr_write_failed', message: 'The chart did not answer: HTTP 503, transient.' },
}
/** An open alert that began ten minutes ago. */
function alert(of: Pick<ShownAlert, 'kind' | 'subject' | 'count'>): ShownAlert {
  const at = { beganAt: now - 600_000, openedAt: now, changedAt: now, closedAt: undefined, seen: 1 }
  const record = { id: 1, level: 0, resourceId: undefined, detail: undefined, ...of, ...at }
  return { ...record, ...describeAlert(record, refusalCheckOf) }
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
      'The chart has been away since 22:03 (HTTP 503). 120 cases wait, nothing lost.',
    ])
    const [finding] = judge({ ...well, away: [away] })
    expect(finding).toMatchObject({ tone: 'wait', runbook: 'the-chart-is-down', act: 'Pause the chart (ehr)' })
  })

  it('dates an outage by its alert, where this process was started later or heard of it from another', () => {
    const alerts = [{ ...alert({ kind: 'away', subject: 'ehr', count: 1 }), beganAt: now - 25 * 60_000 }]
    for (const forMs of [1_000, undefined])
      expect(judge({ ...well, away: [{ ...away, forMs }], alerts })[0].since).toBe(now - 25 * 60_000)
    expect(judge({ ...well, away: [{ ...away, system: 'pharmacy' }], alerts })[0].since).not.toBe(now - 25 * 60_000)
  })

  it('tells a system that refuses pawl from one that is away, since a person must act', () => {
    const error = { code: 'api_unauthorized', message: 'GET /prior-authorization/{id} (401): the token was refused' }
    const [finding] = judge({ ...well, away: [{ ...away, system: 'api', error }] })
    expect(finding).toMatchObject({ tone: 'bad', what: "The service has refused pawl's token" })
    expect(finding.note).toContain('HTTP 401')
    expect(finding.runbook).toBe('the-api-token-expired')
    expect(judge({ ...well, away: [{ ...away, error }] })[0]).toMatchObject({
      runbook: 'the-chart-refuses-pawls-login',
      todo: 'Renew it, then:',
      command: "systemctl restart 'pawl@*'",
    })
    const credentials = credentialsAmong({ FHIR_TOKEN: 'a', API_TOKEN: undefined })
    expect(judge({ ...well, away: [{ ...away, error }], credentials })[0].todo).toBe('Renew FHIR_TOKEN, then:')
  })

  it('says whose fault an outage is as far as its answer tells', () => {
    expect(judge({ ...well, away: [away] })[0].todo).toBe('Tell its people.')
    const error = { code: 'ehr_write_failed', message: 'The chart did not answer.' }
    expect(judge({ ...well, away: [{ ...away, error }] })[0].todo).toBe('Down, or cut off?')
  })

  it('offers no pause of a system that refuses one kind of request, since other work goes on', () => {
    const error = { code: 'ehr_write_failed', message: 'no Task: HTTP 403, not retried.' }
    expect(judge({ ...well, away: [{ ...away, error }] })[0]).toMatchObject({
      deeds: [{ do: 'probe', system: 'ehr' }],
      runbook: 'the-chart-refuses-pawl-a-right',
    })
    expect(judge({ ...well, away: [{ ...away, request: 'PUT /Task', error }] })[0]).toMatchObject({
      todo: 'Once allowed:',
      note: 'HTTP 403. Its people grant that right. Other work goes on.',
      deeds: [{ do: 'probe', system: 'ehr' }],
      act: 'See what waits',
      page: '/parked?state=waiting&system=ehr',
      runbook: 'the-chart-refuses-one-kind-of-request',
      command: 'pawl probe ehr',
    })
  })

  it('names the kind of request that the chart refuses, unless all of it is away', () => {
    const error = { code: 'ehr_write_failed', message: 'no Task: HTTP 404, not retried.' }
    const tasks = { ...away, request: 'PUT /Task', error }
    expect(say({ away: [tasks] })).toEqual(['The chart has refused PUT /Task since 22:03. Nothing waits for it yet.'])
    const others = [{ ...tasks, request: 'PUT /Task/{id}', forMs: 900_000 }]
    expect(say({ away: [tasks, ...others] })).toEqual([
      'The chart has refused PUT /Task, PUT /Task/{id} since 21:58. Nothing waits for it yet.',
    ])
    expect(say({ away: [tasks, ...others, { ...tasks, request: 'POST /DocumentReference' }] })[0]).toMatch(
      /^The chart has refused 3 kinds of request since/,
    )
    expect(say({ away: [away, tasks] })).toEqual([
      'The chart has been away since 22:03 (HTTP 503). Nothing waits for it yet.',
    ])
  })

  it('does not repeat that a system is away while it is paused', () => {
    const pause = { kind: 'system', name: 'ehr', since: now - 60_000, forMs: 60_000, reason: 'an update' } as const
    expect(say({ away: [away], pauses: [pause] })).toEqual([
      'The chart has been paused since 22:12 (an update). Nothing waits for it yet.',
    ])
  })

  it('leads from a pause to the restored backup only where a start has paused all work', () => {
    const pause = { kind: 'all', name: '', since: now - 60_000, forMs: 60_000 } as const
    const [started, paused] = [pausedAtStart, 'the chart is down'].map(
      (reason) => judge({ ...well, pauses: [{ ...pause, reason }] })[0],
    )
    expect(started).toMatchObject({ runbook: 'a-backup-was-restored', act: 'Resume all work' })
    expect(paused).toMatchObject({ act: 'Resume all work' })
    expect(paused?.runbook).toBeUndefined()
  })

  it('counts parked work once for each cause, with the refusal in words', () => {
    expect(say({ groups: [group, { ...group, handler: 'notes-to-chart', count: 3 }] })).toEqual([
      '15 pieces parked since 22:13 (the chart refuses: HTTP 403). Nothing lost.',
    ])
  })

  it('adds what the chart said to a code, where all of it failed alike', () => {
    const locked = { ...group, errorCode: 'chart_locked', message: 'The chart is open elsewhere' }
    expect(say({ groups: [locked] })).toEqual(['12 cases parked since 22:13 (the chart: chart_locked). Nothing lost.'])
    expect(judge({ ...well, groups: [locked] })[0].note).toBe('The chart is open elsewhere.')
    expect(say({ groups: [locked, { ...locked, handler: 'notes-to-chart', message: 'Another message' }] })).toEqual([
      '24 pieces parked since 22:13 (the chart: chart_locked). Nothing lost.',
    ])
  })

  it('says what a code means that names no cause, and what to do about it', () => {
    const bug = { ...group, system: '', errorCode: 'unexpected', message: 'TypeError at to-chart.ts:37' }
    expect(say({ groups: [bug] })).toEqual(['12 cases parked since 22:13 (TypeError at to-chart.ts:37). Nothing lost.'])
    const wordy = { ...bug, message: 'Cannot read properties of undefined (reading label) at to-chart.ts:37' }
    expect(say({ groups: [wordy] })).toEqual(['12 cases parked since 22:13 (bug in to-chart?). Nothing lost.'])
    expect(judge({ ...well, groups: [bug, { ...bug, handler: 'notes-to-chart', count: 34 }] })).toMatchObject([
      {
        what: '46 pieces parked',
        why: 'TypeError at to-chart.ts:37',
        todo: 'Once fixed:',
        deeds: [
          { do: 'retry', work: { error: 'unexpected' }, count: 46, limit: 10 },
          { do: 'retry', count: 46 },
        ],
        note: 'In notes-to-chart, to-chart. Whoever made them mends them and restarts pawl, or deploys the release before. What is new meanwhile is parked, too, after its last attempt.',
        page: '/parked?state=parked&system=-&error=unexpected',
        command: 'pawl retry --error unexpected',
      },
    ])
    const elsewhere = { ...bug, handler: 'notes-to-chart', message: 'TypeError at notes.ts:1' }
    expect(judge({ ...well, groups: [bug, elsewhere] })).toHaveLength(2)
    const unknown = {
      ...group,
      system: 'api',
      errorCode: 'not_found_yet',
      message: 'The service does not know pa_1 yet',
    }
    expect(judge({ ...well, groups: [unknown] })[0].note).toBe('In to-chart. Discard them if it never will.')
  })

  it('dates parked work by its alert where it was retried in vain since', () => {
    const bug = { ...group, system: '', errorCode: 'unexpected', message: 'TypeError at to-chart.ts:37' }
    const about = { ...alert({ kind: 'work', subject: 'to-chart unexpected', count: 12 }), level: 100 }
    expect(say({ groups: [bug], alerts: [about] })[0]).toMatch(/^12 cases parked since 22:03/)
    const other = { ...about, subject: 'notes-to-chart unexpected' }
    expect(say({ groups: [bug], alerts: [other] })[0]).toMatch(/^12 cases parked since 22:13/)
    expect(say({ groups: [bug, { ...bug, handler: 'notes-to-chart' }], alerts: [other] })[0]).toMatch(/since 22:03/)
  })

  it('offers to retry at once what its button would retry and nothing else', () => {
    const bug = { ...group, system: '', errorCode: 'unexpected', message: 'TypeError at to-chart.ts:37' }
    const deedsOf = (facts: Partial<Facts>) => judge({ ...well, ...facts }).map(({ deeds = [] }) => deeds.length)
    expect(deedsOf({ groups: [bug] })).toEqual([2])
    expect(deedsOf({ groups: [{ ...bug, count: 10 }] })).toEqual([1])
    const two = [bug, { ...bug, handler: 'notes-to-chart' }]
    expect(deedsOf({ groups: two, handlerNames: ['to-chart', 'notes-to-chart'] })).toEqual([2])
    // Work of a handler that was removed is not retried.
    expect(deedsOf({ groups: two, handlerNames: ['to-chart'] })).toEqual([0])
    const elsewhere = { ...bug, handler: 'notes-to-chart', message: 'TypeError at notes.ts:1' }
    const third = { ...bug, handler: 'calls-to-chart' }
    // The filter of two that share a bug would also match the third.
    expect(deedsOf({ groups: [bug, third, elsewhere] })).toEqual([0, 2])
  })

  it('dates refused deliveries, and leads from there to catching up once others are accepted', () => {
    const lastRefusedAt = now - 120_000
    const alerts = [alert({ kind: 'refused', subject: 'token_invalid', count: 95 })]
    const before = { receivedAt: lastRefusedAt - 1, syncedAt: undefined }
    expect(judge({ ...well, alerts, lastRefusedAt, newest: before, firstRefusedAt: now - 900_000 })[0].since).toBe(
      now - 900_000,
    )
    expect(say({ alerts, lastRefusedAt, newest: before })).toEqual([
      'Deliveries have been refused since 22:03 (token_invalid). 95 so far.',
    ])
    const [finding] = judge({ ...well, alerts, lastRefusedAt })
    expect(sayFinding(finding, time)).toBe(
      'Deliveries are accepted again. 95 were refused within an hour (token_invalid).',
    )
    expect(finding).toMatchObject({ tone: 'warn', page: '/ask?since=1+h', command: 'pawl reconcile --since 1h' })
    const reconciled = { at: now - 60_000, since: now - 3_600_000 }
    expect(say({ alerts, lastRefusedAt, reconciled })).toEqual([
      'New cases may be missing since 22:03 (deliveries were refused). Who asked for them has their ids.',
    ])
    expect(say({ alerts, lastRefusedAt, reconciled, noneMissingAt: now - 60_000 })[0]).toMatch(/^All is well/)
    for (const tooLittle of [
      { ...reconciled, at: lastRefusedAt - 1 },
      { ...reconciled, since: now - 60_000 },
    ])
      expect(judge({ ...well, alerts, lastRefusedAt, reconciled: tooLittle })[0].page).toBe('/ask?since=1+h')
    // Forged deliveries between good ones are no end.
    expect(judge({ ...well, alerts, lastRefusedAt: now - 5_000 })[0].tone).toBe('bad')
  })

  it('dates a broken audit trail by the alert, and says that work goes on', () => {
    const broken = 'The audit trail has been broken'
    const rest = '(rows were changed, cut off or restored). All work goes on.'
    const alerts = [alert({ kind: 'audit', subject: '', count: 1 })]
    expect(say({ audit: 'altered' })).toEqual([`${broken} ${rest}`])
    expect(say({ audit: 'altered', alerts })).toEqual([`${broken} since 22:03 ${rest}`])
  })

  it('tells of work that fails only while some does', () => {
    const alerts = [{ ...alert({ kind: 'work_at_system', subject: 'ehr ehr_write_failed', count: 2 }), level: 50 }]
    expect(say({ alerts })[0]).toMatch(/^All is well/)
    expect(say({ alerts, groups: [{ ...group, state: 'failing' }] })[0]).toMatch(/^at the system ehr: 2/)
  })

  it('dates work that is not begun by the work, and drops it once it is begun', () => {
    const alerts = [alert({ kind: 'oldest_due', subject: '', count: 22 })]
    expect(say({ alerts, counts: { due: 24, waiting: 0, oldestDueMs: 22 * 60_000 } })).toEqual([
      'No worker has begun work since 21:51. 24 cases are due, nothing lost.',
    ])
    expect(say({ alerts })[0]).toMatch(/^All is well/)
  })

  it('says that workers are behind where some work, and asks for one only where none does', () => {
    const alerts = [alert({ kind: 'oldest_due', subject: '', count: 22 })]
    const counts = { due: 24, waiting: 0, oldestDueMs: 22 * 60_000 }
    for (const lastRunAgoMs of [undefined, 60_000])
      expect(judge({ ...well, alerts, counts, lastRunAgoMs })[0]).toMatchObject({
        tone: 'bad',
        todo: 'Start one:',
        command: 'systemctl start pawl@worker',
      })
    expect(judge({ ...well, alerts, counts, lastRunAgoMs: 2_000 })[0]).toMatchObject({
      tone: 'wait',
      what: 'Workers are behind',
    })
  })

  it('offers no page that is the overview itself, and dates no title that has a date', () => {
    const [finding] = judge({ ...well, alerts: [alert({ kind: 'retention', subject: '', count: 30 })] })
    expect(finding).toMatchObject({ what: 'Old contents have not been deleted for 30 h' })
    expect(finding).not.toHaveProperty('page')
    expect(finding).not.toHaveProperty('since')
  })

  it('says after a restart that deliveries were refused before it, until the next one shows whether they are taken', () => {
    const alerts = [alert({ kind: 'refused', subject: 'token_invalid', count: 95 })]
    const newest = { receivedAt: now - 600_000, syncedAt: undefined }
    const facts = { alerts, lastRefusedAt: now - 15_000, newest }
    expect(judge({ ...well, ...facts, runningMs: 16_000 })[0].tone).toBe('bad')
    expect(say({ ...facts, runningMs: 14_000 })).toEqual(['No delivery was refused since this start.'])
  })

  it('says that work is being done where much is due, as just after it was resumed', () => {
    const counts = { due: 60, waiting: 0, oldestDueMs: 500 }
    expect(say({ counts })).toEqual(['All is well so far. 60 cases are being worked on.'])
    expect(say({ counts: { ...counts, due: 9 } })[0]).toMatch(/^All is well\. Newest/)
  })

  it('says when the disk has room again, and what to catch up with', () => {
    const alerts = [alert({ kind: 'turned_away', subject: 'disk_full', count: 37 })]
    const full = { state: 'full', warning: 'Make room there.' }
    expect(say({ alerts, disk: full })).toEqual([
      'Deliveries have been turned away since 22:03 (disk full). Some may be missed.',
    ])
    expect(say({ alerts, disk: { state: 'enough', warning: undefined } })).toEqual([
      'The disk has room again. Deliveries were turned away before.',
    ])
    expect(judge({ ...well, alerts, disk: { ...full, path: '/var/lib/pawl/pawl.db' } })[0].todo).toBe(
      'Make room in /var/lib/pawl, sparing pawl.db*.',
    )
    const longAgo = alerts.map((each) => ({ ...each, beganAt: now - 50 * 60_000, changedAt: now - 120_000 }))
    expect(judge({ ...well, alerts: longAgo, disk: { state: 'enough', warning: undefined } })[0]).toMatchObject({
      page: '/ask?since=6+h',
      command: 'pawl reconcile --since 6h',
    })
    const reconciled = { at: now - 60_000, since: now - 6 * 3_600_000 }
    expect(say({ alerts: longAgo, reconciled })[0]).toMatch(
      /^New cases may be missing since 21:23 \(the disk was full\)/,
    )
    expect(say({ alerts: longAgo, reconciled, noneMissingAt: now })[0]).toMatch(/^All is well/)
    expect(say({ alerts: longAgo, reconciled: { ...reconciled, at: now - 180_000 } })[0]).not.toMatch(/^All is well/)
  })

  it('offers a pause as no remedy of an outage', () => {
    expect(judge({ ...well, away: [away] })[0].isOptional).toBe(true)
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

  it('does not call well what an alert that is over left to do, within a day', () => {
    const disk = { state: 'enough', warning: undefined }
    const over = (kind: 'turned_away' | 'refused', subject: string) => [
      { ...alert({ kind, subject, count: 37 }), closedAt: now - 60_000 },
    ]
    const past = over('turned_away', 'disk_full')
    expect(say({ disk, pastAlerts: past })).toEqual(['The disk has room again. Deliveries were turned away before.'])
    const reconciled = { at: now - 120_000, since: 0 }
    expect(say({ disk, pastAlerts: past, reconciled })[0]).toMatch(/^New cases may be missing since 22:03/)
    expect(say({ disk, pastAlerts: past, reconciled, noneMissingAt: now })[0]).toMatch(/^All is well/)
    const refused = over('refused', 'token_invalid')
    expect(say({ pastAlerts: refused })[0]).toMatch(/^Deliveries are accepted again\./)
    const again = [
      ...past,
      { ...alert({ kind: 'turned_away', subject: 'disk_full', count: 3 }), beganAt: now - 900_000 },
    ]
    expect(say({ disk, pastAlerts: again, reconciled: { at: now + 1, since: 0 } })).toEqual([
      'New cases may be missing since 21:58 (the disk was full). Who asked for them has their ids.',
    ])
  })

  it('says of a good day when the newest delivery came and how soon it was in step', () => {
    expect(say({})).toEqual(['All is well. Newest delivery 4 s ago, in step after 800 ms.'])
    expect(say({ newest: undefined })).toEqual(['All is well. No webhook has come lately.'])
  })

  it('says of a quiet hour how long nothing came', () => {
    const newest = { receivedAt: now - 5 * 3_600_000, syncedAt: now - 4 * 3_600_000 }
    expect(say({ newest })).toEqual(['All is well. No new delivery for 5 h.'])
  })

  it('says that a system is tried again where work waits for it though it is not away, as after a start', () => {
    const waitingCases = [{ system: 'ehr', count: 12 }]
    expect(say({ waitingCases })).toEqual(['pawl is trying the chart (ehr) again. 12 cases wait, nothing lost.'])
    const pause = { kind: 'system', name: 'ehr', since: now, forMs: 0 } as const
    expect(judge({ ...well, waitingCases, pauses: [pause] })).toHaveLength(1)
  })

  it('knows by the alert what another process found, and when that asks again', () => {
    const heard = { system: 'ehr', leftAloneMs: 4_000 }
    const alerts = [{ ...alert({ kind: 'away', subject: 'ehr', count: 1 }), detail: 'ehr_write_failed 401' }]
    expect(say({ away: [heard], alerts })[0]).toMatch(/^The chart has refused pawl's login since 22:03\./)
    expect(judge({ ...well, away: [heard], alerts })[0].note).toMatch(/It is asked again in 4 s\.$/)
    // A process that was just started with a new token knows nothing against it.
    expect(say({ away: [heard], alerts, runningMs: 5_000 })[0]).toMatch(/^pawl is trying the chart \(ehr\) again\./)
    expect(say({ away: [{ ...heard, error: away.error }], alerts, runningMs: 5_000 })[0]).toMatch(/has been away/)
    // Right after a start nothing is known but that it was away.
    expect(say({ away: [heard] })[0]).toBe('pawl is trying the chart (ehr) again. Nothing waits for it yet.')
  })

  it('offers to resume what is paused at once, and to ask the service', () => {
    const pause = { kind: 'handler', name: 'to-chart', since: now - 60_000, forMs: 60_000 } as const
    const deed = { do: 'resume', kind: 'handler', name: 'to-chart', since: pause.since }
    expect(judge({ ...well, pauses: [pause] })[0].deeds).toEqual([deed])
    const alerts = [alert({ kind: 'turned_away', subject: 'disk_full', count: 37 })]
    expect(judge({ ...well, alerts, disk: { state: 'enough', warning: undefined } })[0].deeds).toEqual([
      { do: 'reconcile', since: '1 h' },
    ])
  })

  it('names who paused, and says when START_PAUSED would pause all work again', () => {
    const pause = {
      kind: 'all',
      name: '',
      since: now - 60_000,
      forMs: 60_000,
      reason: 'an upgrade',
      by: 'sam',
    } as const
    expect(judge({ ...well, pauses: [pause], isStartPausedSet: true })).toMatchObject([{ why: 'sam: an upgrade' }])
    expect(say({ isStartPausedSet: true })).toEqual(['START_PAUSED is still in the settings.'])
  })

  it('calls nothing well after a start that paused all work, until the service was asked', () => {
    const at = now - 600_000
    const pausedStart = { at, newestAt: at - 2 * 3_600_000 }
    expect(say({ pausedStart })).toEqual(['Deliveries may be missing since 20:03 (restored backup?).'])
    expect(judge({ ...well, pausedStart })[0]).toMatchObject({
      tone: 'warn',
      deeds: [{ do: 'reconcile', since: '6 h' }],
    })
    expect(judge({ ...well, pausedStart, reconciled: { at: at - 1, since: 0 } })[0].tone).toBe('warn')
    const reconciled = { at: at + 1, since: 0 }
    const [missing] = judge({ ...well, pausedStart, reconciled })
    expect(sayFinding(missing, time)).toMatch(/^New cases may be missing since 20:03 \(a restored backup\)\./)
    expect(missing.command).toContain(`--since @${(at - 2 * 3_600_000) / 1_000} `)
    expect(
      say({
        pausedStart,
        reconciled,
        readById: [
          { at: at - 1, count: 3 },
          { at: at + 2, count: 8 },
        ],
      }),
    ).toEqual(['Other new cases may be missing since 20:03 (a restored backup). 8 cases were read by id.'])
    expect(say({ pausedStart, reconciled, noneMissingAt: at })[0]).toMatch(/^New cases may be missing/)
    expect(say({ pausedStart, reconciled, noneMissingAt: at + 1 })[0]).toMatch(/^All is well/)
  })

  it('is short: nineteen words, with what its buttons say, tell what, since when, why, what it costs and what to do', () => {
    const counts = { due: 24, waiting: 34, oldestDueMs: 22 * 60_000 }
    const refused = (status: number) => ({ ...away, error: { code: 'x', message: `HTTP ${status}` } })
    const waitingCases = [{ system: 'ehr', count: 12 }]
    const pause = { kind: 'all', name: '', since: now, forMs: 0 } as const
    const bug = { ...group, system: '', errorCode: 'unexpected' }
    const incidents: Partial<Facts>[] = [
      { away: [away], waitingCases },
      ...[401, 403].map((status) => ({ away: [refused(status)], waitingCases })),
      { away: [{ ...refused(403), request: 'PUT /Task' }], waitingCases },
      { alerts: [alert({ kind: 'refused', subject: 'token_invalid', count: 95 })] },
      { groups: [bug, { ...bug, handler: 'notes-to-chart' }] },
      {
        disk: { state: 'full', warning: 'Much text.', path: '/var/lib/pawl/pawl.db' },
        alerts: [alert({ kind: 'turned_away', subject: 'disk_full', count: 3 })],
      },
      { alerts: [alert({ kind: 'oldest_due', subject: '', count: 22 })], counts },
      ...[pausedAtStart, 'an upgrade'].map((reason) => ({ pauses: [{ ...pause, reason }], counts })),
      {},
    ]
    for (const incident of incidents) {
      const verdict = judge({ ...well, ...incident })
      const block = h(VerdictBlock, { verdict })
      const shown = renderToString(h(ViewerContext.Provider, { value: operator, children: block }))
      const text = shown
        .replace(/(<details.*?<\/summary>).*?<\/details>/gs, '$1')
        // The script of the pages shows a moment of today as the local time.
        .replace(/<time.*?<\/time>/g, '22:03')
        // These need no reading.
        .replace(/<a href="[^"]*">How<\/a>|<summary>More<\/summary>/g, '')
        .replace(/<[^>]*>/g, ' ')
        .replace(/ +/g, ' ')
        .replace(/ (?=[.)])|(?<=\() /g, '')
        .trim()
      expect(text.split(' ').length, text).toBeLessThanOrEqual(19)
    }
  })

  it('leads to sections that the runbook has', async () => {
    const text = await readFile(new URL('../../../docs/runbook.md', import.meta.url), 'utf8')
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => slugOf(title))
    expect(sections).toEqual(expect.arrayContaining(Object.values(runbookSections)))
    const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, section]) => section)
    expect(sections).toEqual(expect.arrayContaining(links))
  })
})
