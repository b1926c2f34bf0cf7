import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { describe, expect, it } from 'vitest'
import type { ShownAlert } from '../src/alerts/alerts.ts'
import { faultOfAlert } from '../src/faults/fault-of-alert.ts'
import { sayFinding } from '../src/contract/status-verdict.ts'
import type { Facts } from '../src/verdict/facts.ts'
import { pausedAtStart } from '../../ledger/src/hot/pause.ts'
import { judge } from '../src/verdict/judge-facts.ts'
import { VerdictBlock } from '../src/pages/verdict.tsx'
import { ViewerContext } from '../src/pages/viewer.tsx'

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
const enough = { state: 'enough', freeBytes: 9_000_000_000 } as const
const full = { state: 'full', freeBytes: 41 * 1024 * 1024 } as const
const say = (facts: Partial<Facts>) => judge({ ...well, ...facts }).map((each) => sayFinding(each, time))

const away = {
  system: 'ehr',
  forMs: 600_000,
  error: { code: 'ehr_write_failed', message: 'The chart did not answer.', httpStatus: 503 },
}
/** An open alert that began ten minutes ago. */
function alert(of: Pick<ShownAlert, 'kind' | 'subject' | 'count'>): ShownAlert {
  const at = { beganAt: now - 600_000, openedAt: now, changedAt: now, closedAt: undefined, seen: 1 }
  const error = { resourceId: undefined, errorCode: undefined, httpStatus: undefined }
  const record = { id: 1, level: 0, most: of.count, ...error, ...of, ...at }
  return { ...record, fault: faultOfAlert(record) }
}

const group = {
  state: 'parked',
  handler: 'to-chart',
  system: 'ehr',
  errorCode: 'ehr_write_failed',
  count: 12,
  cases: 12,
  newest: 1,
  newestAt: now,
  oldestAt: now,
  message: 'The chart did not take the note.',
  httpStatus: 403,
} as const

describe('the verdict', () => {
  it('states how long and why the chart has been away, and that nothing is lost', () => {
    expect(say({ away: [away], waitingCases: [{ system: 'ehr', count: 120 }] })).toEqual([
      'The chart has been away since 22:03 (HTTP 503). 120 cases wait, nothing lost.',
    ])
    const [finding] = judge({ ...well, away: [away] })
    const error = { ...away.error, reason: 'no connection (ECONNREFUSED)' }
    const [explained] = judge({ ...well, away: [{ ...away, error }] })
    expect(explained?.note).toMatch(/^Last error: no connection \(ECONNREFUSED\)\. It may be down/)
    expect(finding?.note).toMatch(/^It may be down/)
    expect(finding).toMatchObject({ severity: 'wait', runbook: 'the-chart-is-down', act: 'Pause the chart (ehr)' })
  })

  it('dates an outage by its alert if this process started later, or another one found it', () => {
    const alerts = [{ ...alert({ kind: 'away', subject: 'ehr', count: 1 }), beganAt: now - 25 * 60_000 }]
    for (const forMs of [1_000, undefined])
      expect(judge({ ...well, away: [{ ...away, forMs }], alerts })[0].since).toBe(now - 25 * 60_000)
    expect(judge({ ...well, away: [{ ...away, system: 'pharmacy' }], alerts })[0].since).not.toBe(now - 25 * 60_000)
  })

  it('tells a system that refuses pawl, where a person must act, from one that is away', () => {
    const error = { code: 'api_unauthorized', message: 'GET /prior-authorization/{id}', httpStatus: 401 }
    const [finding] = judge({ ...well, away: [{ ...away, system: 'api', error }] })
    expect(finding).toMatchObject({ severity: 'bad', title: "The service has refused pawl's token" })
    expect(finding.runbook).toBe('the-api-token-expired')
    expect(judge({ ...well, away: [{ ...away, error }] })[0]).toMatchObject({
      runbook: 'the-chart-refuses-pawls-login',
      todo: 'Renew it, restart pawl.',
    })
    const credentials = { ehr: 'FHIR_TOKEN' }
    expect(judge({ ...well, away: [{ ...away, error }], credentials })[0].todo).toBe('Renew FHIR_TOKEN, restart pawl.')
  })

  it('offers no pause of a system that refuses one kind of request, since other work goes on', () => {
    const error = { code: 'ehr_write_failed', message: 'no Task', httpStatus: 403 }
    expect(judge({ ...well, away: [{ ...away, error }] })[0]).toMatchObject({
      deeds: [{ do: 'probe', system: 'ehr' }],
      runbook: 'the-chart-refuses-pawl-a-right',
    })
    expect(judge({ ...well, away: [{ ...away, request: 'PUT /Task', error }] })[0]).toMatchObject({
      code: 'request_refused',
      deeds: [{ do: 'probe', system: 'ehr' }],
      act: 'See what waits',
      page: '/parked?state=waiting&system=ehr',
      runbook: 'the-chart-refuses-one-kind-of-request',
    })
  })

  it('names the kind of request that the chart refuses, unless all of it is away', () => {
    const error = { code: 'ehr_write_failed', message: 'no Task', httpStatus: 404 }
    const tasks = { ...away, request: 'PUT /Task', error }
    expect(say({ away: [tasks] })).toEqual([
      'The chart has refused PUT /Task since 22:03 (HTTP 404). Nothing waits for it yet.',
    ])
    const others = [{ ...tasks, request: 'PUT /Task/{id}', forMs: 900_000 }]
    expect(say({ away: [tasks, ...others] })).toEqual([
      'The chart has refused PUT /Task, PUT /Task/{id} since 21:58 (HTTP 404). Nothing waits for it yet.',
    ])
    expect(say({ away: [tasks, ...others, { ...tasks, request: 'POST /DocumentReference' }] })[0]).toMatch(
      /^The chart has refused 3 kinds of request since/,
    )
    expect(say({ away: [away, tasks] })).toEqual([
      'The chart has been away since 22:03 (HTTP 503). Nothing waits for it yet.',
    ])
  })

  it('omits the outage of a paused system', () => {
    const pause = { kind: 'system', name: 'ehr', since: now - 60_000, forMs: 60_000, reason: 'an update' } as const
    expect(say({ away: [away], pauses: [pause] })).toEqual([
      'The chart has been paused since 22:12 (an update). Nothing waits for it yet.',
    ])
  })

  it('links a pause to the restored backup only if a start paused all work', () => {
    const pause = { kind: 'all', name: '', since: now - 60_000, forMs: 60_000 } as const
    const [started, paused] = [pausedAtStart, 'the chart is down'].map(
      (reason) => judge({ ...well, pauses: [{ ...pause, reason }] })[0],
    )
    expect(started).toMatchObject({ runbook: 'a-backup-was-restored', act: 'Resume all work' })
    expect(paused).toMatchObject({ act: 'Resume all work' })
    expect(paused?.runbook).toBe('work-is-paused')
  })

  it('counts parked work once for each cause, with the refusal in words', () => {
    expect(say({ groups: [group, { ...group, handler: 'notes-to-chart', count: 5, cases: 3 }] })).toEqual([
      '15 cases parked since 22:13 (the chart refuses: HTTP 403). Nothing lost.',
    ])
  })

  it('leads from a resource that the chart refuses to the refusal and its own section, without a retry', () => {
    const [refused] = judge({ ...well, groups: [{ ...group, httpStatus: 422 }] })
    expect(sayFinding(refused, time)).toBe('12 cases parked since 22:13 (the chart refuses: HTTP 422). Nothing lost.')
    expect(refused).toMatchObject({ runbook: 'the-chart-refuses-one-resource', act: 'See the refusal' })
    expect(refused.deeds).toBeUndefined()
    expect(judge({ ...well, groups: [group] })[0].runbook).toBe('a-handlers-bug-parked-work')
    const about = { kind: 'work_at_system', subject: 'ehr ehr_write_failed', count: 1, httpStatus: 422 } as const
    expect(faultOfAlert({ ...about, level: 100 }).runbook).toBe('the-chart-refuses-one-resource')
    expect(faultOfAlert({ ...about, level: 50 }).code).toBe('failing')
  })

  it('offers a retry only if its button matches exactly the work of the cause', () => {
    const bug = { ...group, system: '', errorCode: 'unexpected', message: 'TypeError at to-chart.ts:37' }
    const deedsOf = (facts: Partial<Facts>) => judge({ ...well, ...facts }).map(({ deeds = [] }) => deeds.length)
    expect(deedsOf({ groups: [bug] })).toEqual([2])
    expect(deedsOf({ groups: [{ ...bug, count: 10 }] })).toEqual([1])
    const two = [bug, { ...bug, handler: 'notes-to-chart' }]
    expect(deedsOf({ groups: two, handlerNames: ['to-chart', 'notes-to-chart'] })).toEqual([2, 2])
    // Work of a handler that was removed is not retried.
    expect(deedsOf({ groups: two, handlerNames: ['to-chart'] })).toEqual([2, 0])
  })

  it('dates refused deliveries, and offers a reconcile once deliveries are accepted again', () => {
    const lastRefusedAt = now - 120_000
    const alerts = [alert({ kind: 'refused', subject: 'token_invalid', count: 95 })]
    const before = { receivedAt: lastRefusedAt - 1, syncedAt: undefined }
    expect(judge({ ...well, alerts, lastRefusedAt, newest: before, firstRefusedAt: now - 900_000 })[0].since).toBe(
      now - 900_000,
    )
    expect(say({ alerts, lastRefusedAt, newest: before })).toEqual([
      'Deliveries have been refused since 22:03 (token_invalid). 95 within an hour.',
    ])
    expect(judge({ ...well, alerts, lastRefusedAt, newest: before, refusedInDay: 120 })[0].effect).toBe(
      '120 within 24 h.',
    )
    const [finding] = judge({ ...well, alerts, lastRefusedAt })
    expect(sayFinding(finding, time)).toBe(
      'Deliveries are accepted again. 95 were refused within an hour (token_invalid).',
    )
    expect(finding).toMatchObject({ severity: 'warn', page: '/ask?since=1+h', command: 'pawl reconcile --since 1h' })
    const reconciled = { at: now - 60_000, since: now - 3_600_000 }
    expect(say({ alerts, lastRefusedAt, reconciles: [reconciled] })).toEqual([
      'New cases may be missing since 22:03 (deliveries were refused). Their requesters have the ids.',
    ])
    expect(say({ alerts, lastRefusedAt, reconciles: [reconciled], noneMissingAt: now - 60_000 })[0]).toMatch(
      /^All is well/,
    )
    for (const tooLittle of [
      { ...reconciled, at: lastRefusedAt - 1 },
      { ...reconciled, since: now - 60_000 },
    ])
      expect(judge({ ...well, alerts, lastRefusedAt, reconciles: [tooLittle] })[0].page).toBe('/ask?since=1+h')
    // Forged deliveries between good ones are no end.
    expect(judge({ ...well, alerts, lastRefusedAt: now - 5_000 })[0].severity).toBe('bad')
  })

  it('dates overdue work by its oldest piece, and drops it once it has begun', () => {
    const alerts = [alert({ kind: 'oldest_due', subject: '', count: 22 })]
    expect(say({ alerts, counts: { due: 24, waiting: 0, oldestDueMs: 22 * 60_000 } })).toEqual([
      'No worker has begun work since 21:51. 24 cases are due, nothing lost.',
    ])
    expect(say({ alerts })[0]).toMatch(/^All is well/)
  })

  it('asks for a worker only if none ends runs, and otherwise reports that workers are behind', () => {
    const alerts = [alert({ kind: 'oldest_due', subject: '', count: 22 })]
    const counts = { due: 24, waiting: 0, oldestDueMs: 22 * 60_000 }
    for (const lastRunAgoMs of [undefined, 60_000])
      expect(judge({ ...well, alerts, counts, lastRunAgoMs })[0]).toMatchObject({
        severity: 'bad',
        code: 'no_worker',
      })
    expect(judge({ ...well, alerts, counts, lastRunAgoMs: 2_000 })[0]).toMatchObject({
      severity: 'wait',
      code: 'workers_behind',
    })
  })

  it('leads from refusals by a wrong clock to its section, also once deliveries are accepted again', () => {
    const alerts = [alert({ kind: 'refused', subject: 'token_expired', count: 95 })]
    const runbook = 'this-machines-clock-is-wrong'
    const refusing = { alerts, lastRefusedAt: now - 5_000 }
    expect(judge({ ...well, ...refusing })[0]).toMatchObject({ code: 'refused_by_clock', runbook })
    expect(judge({ ...well, ...refusing, runningMs: 1_000 })[0].runbook).toBe(runbook)
    const over = { alerts, lastRefusedAt: now - 120_000 }
    expect(judge({ ...well, ...over })[0]).toMatchObject({ code: 'accepted_again', runbook })
  })

  it('reports a clock that differs from the service by more than two minutes', () => {
    for (const clockAheadMs of [-120_000, 120_000]) expect(say({ clockAheadMs })[0]).toMatch(/^All is well/)
    expect(say({ clockAheadMs: -121_000 })).toEqual([
      "This machine's clock is 2 min behind the service's. Deliveries may be refused.",
    ])
    expect(judge({ ...well, clockAheadMs: 1_200_000 })[0]).toMatchObject({
      title: "This machine's clock is 20 min ahead of the service's",
      severity: 'warn',
    })
  })

  it('dates no finding in the future, as after a clock was set back', () => {
    const alerts = [{ ...alert({ kind: 'turned_away', subject: 'disk_full', count: 3 }), beganAt: now + 720_000 }]
    expect(judge({ ...well, alerts, disk: full })[0].since).toBe(now)
  })

  it('reports refusals before a restart until the next delivery is judged', () => {
    const alerts = [alert({ kind: 'refused', subject: 'token_invalid', count: 95 })]
    const newest = { receivedAt: now - 600_000, syncedAt: undefined }
    const facts = { alerts, lastRefusedAt: now - 15_000, newest }
    expect(judge({ ...well, ...facts, runningMs: 16_000 })[0].severity).toBe('bad')
    expect(say({ ...facts, runningMs: 14_000 })).toEqual(['No delivery was refused since this start.'])
  })

  it('does not call all well while much work is due, as after a resume', () => {
    const counts = { due: 60, waiting: 0, oldestDueMs: 500 }
    expect(say({ counts })).toEqual(['All is well so far. 60 cases are being worked on.'])
    expect(say({ counts: { ...counts, due: 9 } })[0]).toMatch(/^All is well\. Newest/)
  })

  it('offers a reconcile once a full disk has room again', () => {
    const alerts = [alert({ kind: 'turned_away', subject: 'disk_full', count: 37 })]
    expect(say({ alerts, disk: full })).toEqual([
      'Deliveries have been turned away since 22:03 (disk full). Some may be missed.',
    ])
    expect(say({ alerts, disk: enough })).toEqual(['The disk has room again. Deliveries were turned away before.'])
    expect(judge({ ...well, alerts, disk: full, ledgerPath: '/var/lib/pawl/pawl.db' })[0].todo).toBe(
      'Make room in /var/lib/pawl, sparing pawl.db*.',
    )
    const longAgo = alerts.map((each) => ({ ...each, beganAt: now - 50 * 60_000, changedAt: now - 120_000 }))
    expect(judge({ ...well, alerts: longAgo, disk: enough })[0]).toMatchObject({
      page: '/ask?since=6+h',
      command: 'pawl reconcile --since 6h',
    })
    const reconciled = { at: now - 60_000, since: now - 6 * 3_600_000 }
    expect(say({ alerts: longAgo, reconciles: [reconciled] })[0]).toMatch(
      /^New cases may be missing since 21:23 \(the disk was full\)/,
    )
    expect(say({ alerts: longAgo, reconciles: [reconciled], noneMissingAt: now })[0]).toMatch(/^All is well/)
    expect(say({ alerts: longAgo, reconciles: [{ ...reconciled, at: now - 180_000 }] })[0]).not.toMatch(/^All is well/)
  })

  it('tells of work that fails for longer than a minute, of which no alert tells', () => {
    const failing = { ...group, state: 'failing', oldestAt: now - 90_000, httpStatus: 500 } as const
    expect(judge({ ...well, groups: [failing] })).toMatchObject([
      { code: 'retried', severity: 'wait', title: '12 cases failing', since: now - 90_000 },
    ])
  })

  it('puts a full disk first, and omits work that has just failed and is retried', () => {
    const disk = full
    expect(judge({ ...well, disk, away: [away], groups: [group] }).map(({ code }) => code)).toEqual([
      'disk_full',
      'parked',
      'away',
    ])
    expect(say({ groups: [{ ...group, state: 'failing' }] })[0]).toMatch(/^All is well/)
  })

  it('puts the more severe finding first, and of two alike the one that lasts before the one that is over', () => {
    const codes = (facts: Partial<Facts>) => judge({ ...well, ...facts }).map(({ code }) => code)
    const alerts = [alert({ kind: 'refused', subject: 'token_invalid', count: 95 })]
    const over = { alerts, lastRefusedAt: now - 120_000, reconciles: [{ at: now - 60_000, since: now - 3_600_000 }] }
    const error = { code: 'api_unauthorized', message: '', httpStatus: 401 }
    const token = { ...away, system: 'api', error }
    expect(codes({ ...over, away: [away, token] })).toEqual(['token_expired', 'new_cases', 'away'])
    expect(codes({ ...over, queueOutage: { forMs: 1, code: 'ECONNREFUSED' } })).toEqual(['queue', 'new_cases'])
  })

  it('keeps the catching up of an alert that closed within a day', () => {
    const disk = enough
    const over = (kind: 'turned_away' | 'refused', subject: string) => [
      { ...alert({ kind, subject, count: 37 }), closedAt: now - 180_000 },
    ]
    const past = over('turned_away', 'disk_full')
    expect(say({ disk, pastAlerts: past })).toEqual(['The disk has room again. Deliveries were turned away before.'])
    const reconciles = [{ at: now - 120_000, since: 0 }]
    expect(say({ disk, pastAlerts: past, reconciles })[0]).toMatch(/^New cases may be missing since 22:03/)
    expect(say({ disk, pastAlerts: past, reconciles, noneMissingAt: now })[0]).toMatch(/^All is well/)
    const refused = over('refused', 'token_invalid')
    expect(say({ pastAlerts: refused })[0]).toMatch(/^Deliveries are accepted again\./)
    const again = [
      ...past,
      { ...alert({ kind: 'turned_away', subject: 'disk_full', count: 3 }), beganAt: now - 900_000 },
    ]
    expect(say({ disk, pastAlerts: again, reconciles: [{ at: now + 1, since: 0 }] })).toEqual([
      'New cases may be missing since 21:58 (the disk was full). Their requesters have the ids.',
    ])
  })

  it('states on a good day when the newest delivery came and how soon it was in sync', () => {
    expect(say({})).toEqual(['All is well. Newest delivery 4 s ago, in sync after 800 ms.'])
    expect(say({ newest: undefined })).toEqual(['All is well. No webhook has come lately.'])
  })

  it('states how long no delivery came in a quiet hour', () => {
    const newest = { receivedAt: now - 5 * 3_600_000, syncedAt: now - 4 * 3_600_000 }
    expect(say({ newest })).toEqual(['All is well. No new delivery for 5 h.'])
  })

  it('reports a system as being tried if work waits for it but it is not away, as after a start', () => {
    const waitingCases = [{ system: 'ehr', count: 12 }]
    expect(say({ waitingCases })).toEqual(['pawl is trying the chart (ehr) again. 12 cases wait, nothing lost.'])
    const pause = { kind: 'system', name: 'ehr', since: now, forMs: 0 } as const
    expect(judge({ ...well, waitingCases, pauses: [pause] })).toHaveLength(1)
  })

  it('takes the reason of an outage that another process found from its alert', () => {
    const heard = { system: 'ehr', leftAloneMs: 4_000 }
    const alerts = [
      { ...alert({ kind: 'away', subject: 'ehr', count: 1 }), errorCode: 'ehr_write_failed', httpStatus: 401 },
    ]
    expect(say({ away: [heard], alerts })[0]).toMatch(/^The chart has refused pawl's login since 22:03 \(HTTP 401\)\./)
    expect(judge({ ...well, away: [heard], alerts })[0].note).toMatch(/pawl tries it again in 4 s\.$/)
    // A process that was just started with a new token knows nothing against it.
    expect(say({ away: [heard], alerts, runningMs: 5_000 })[0]).toMatch(/^pawl is trying the chart \(ehr\) again\./)
    expect(say({ away: [{ ...heard, error: away.error }], alerts, runningMs: 5_000 })[0]).toMatch(/has been away/)
    // Right after a start nothing is known but that it was away.
    expect(say({ away: [heard] })[0]).toBe('pawl is trying the chart (ehr) again. Nothing waits for it yet.')
  })

  it('offers to resume a pause, and to reconcile', () => {
    const pause = { kind: 'handler', name: 'to-chart', since: now - 60_000, forMs: 60_000 } as const
    const deed = { do: 'resume', kind: 'handler', name: 'to-chart', since: pause.since }
    expect(judge({ ...well, pauses: [pause] })[0].deeds).toEqual([deed])
    const alerts = [alert({ kind: 'turned_away', subject: 'disk_full', count: 37 })]
    expect(judge({ ...well, alerts, disk: enough })[0].deeds).toEqual([{ do: 'reconcile', since: '1 h' }])
  })

  it('names the person who paused, and reports a START_PAUSED left in the settings', () => {
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

  it('does not call all well after a start that paused all work, until a reconcile', () => {
    const at = now - 600_000
    const pausedStart = { at, newestAt: at - 2 * 3_600_000 }
    expect(say({ pausedStart })).toEqual(['Deliveries may be missing since 20:03 (restored backup?).'])
    expect(judge({ ...well, pausedStart })[0]).toMatchObject({
      severity: 'warn',
      deeds: [{ do: 'reconcile', since: '6 h' }],
    })
    expect(judge({ ...well, pausedStart, reconciles: [{ at: at - 1, since: 0 }] })[0].severity).toBe('warn')
    const reconciles = [{ at: at + 1, since: 0 }]
    const [missing] = judge({ ...well, pausedStart, reconciles })
    expect(sayFinding(missing, time)).toMatch(/^New cases may be missing since 20:03 \(a restored backup\)\./)
    expect(
      say({
        pausedStart,
        reconciles,
        readById: [
          { at: at - 1, count: 3 },
          { at: at + 2, count: 8 },
        ],
      }),
    ).toEqual(['Other new cases may be missing since 20:03 (a restored backup). 8 cases were read by id.'])
    expect(say({ pausedStart, reconciles, noneMissingAt: at })[0]).toMatch(/^New cases may be missing/)
    expect(say({ pausedStart, reconciles, noneMissingAt: at + 1 })[0]).toMatch(/^All is well/)
  })

  it('has at most nineteen words, buttons included', () => {
    const counts = { due: 24, waiting: 34, oldestDueMs: 22 * 60_000 }
    const refused = (status: number) => ({ ...away, error: { code: 'x', message: '', httpStatus: status } })
    const waitingCases = [{ system: 'ehr', count: 12 }]
    const pause = { kind: 'all', name: '', since: now, forMs: 0 } as const
    const bug = { ...group, system: '', errorCode: 'unexpected' }
    const incidents: Partial<Facts>[] = [
      { away: [away], waitingCases },
      ...[401, 403].map((status) => ({ away: [refused(status)], waitingCases })),
      { away: [{ ...refused(403), request: 'PUT /Task' }], waitingCases },
      { alerts: [alert({ kind: 'refused', subject: 'token_invalid', count: 95 })], refusedInDay: 120 },
      { groups: [{ ...bug, message: 'TypeError at to-chart.ts:37' }] },
      {
        disk: full,
        ledgerPath: '/var/lib/pawl/pawl.db',
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
})
