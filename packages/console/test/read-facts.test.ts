import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ShownAlert } from '../src/alerts/alerts.ts'
import { faultOfAlert } from '../src/faults/fault-of-alert.ts'
import { sayFinding } from '../src/contract/status-verdict.ts'
import { judge } from '../src/verdict/judge-facts.ts'
import { createReadFacts } from '../src/verdict/read-facts.ts'
import { ownActor } from '../../ledger/src/audit/audit-entry.ts'
import { pauseAtStart } from '../../../src/work/pause-at-start.ts'
import { openLedger } from '../../ledger/test/filled-ledger.ts'
import { act } from '../../../test/support/act.ts'

const minuteMs = 60_000
const began = Date.UTC(2026, 0, 31, 20, 0)
const counts = { due: 0, waiting: 0, oldestDueMs: 0 }
let at = began
let folder = ''
let ledger: Awaited<ReturnType<typeof openLedger>>

beforeEach(async () => {
  at = began
  folder = mkdtempSync(join(tmpdir(), 'pawl-facts-'))
  ledger = await openLedger(`file:${join(folder, 'pawl.db')}`, { now: () => at })
  await ledger.audit({ actor: ownActor, action: 'process.start' })
})

afterEach(async () => {
  await ledger.close()
  rmSync(folder, { recursive: true })
})

function alertOf(of: Pick<ShownAlert, 'kind' | 'subject'> & { closedAt?: number }): ShownAlert {
  const times = { beganAt: began, openedAt: began, changedAt: at, closedAt: undefined, seen: 1 }
  const record = {
    id: 1,
    level: 0,
    count: 40,
    most: 40,
    resourceId: undefined,
    errorCode: undefined,
    httpStatus: undefined,
    ...times,
    ...of,
  }
  return { ...record, fault: faultOfAlert(record) }
}

const read = (open: ShownAlert[], past: ShownAlert[] = []) =>
  createReadFacts({
    ledger,
    alerts: {
      read: () => Promise.resolve({ open, targets: [], lastRound: undefined }),
      list: () => Promise.resolve([...open, ...past]),
    },
    readAway: () => [],
    now: () => at,
  })(counts)
const said = async (...alerts: Parameters<typeof read>) =>
  judge(await read(...alerts)).map((each) => sayFinding(each, (time) => new Date(time).toISOString().slice(11, 16)))

const delivery = {
  resourceId: 'pa_1',
  kind: 'prior_authorization',
  eventType: 'prior_authorization.status_change',
  eventKey: undefined,
  body: Buffer.from('{}'),
  source: 'webhook',
} as const

const reconcile = (details: { since: string } | { resources: string[] }) =>
  ledger.audit({ actor: act.actor, action: 'resource.reconcile', details })

it.each(['token_invalid', 'token_missing'])(
  'a reconcile ends the catching up after refusals for %s',
  async (subject) => {
    ledger.reject({ reason: subject, bytes: 1 })
    // They are recorded in batches, a second each.
    await sleep(1_200)
    at += 30 * minuteMs
    await ledger.accept(delivery)
    const open = [alertOf({ kind: 'refused', subject })]
    expect(await read(open)).toMatchObject({ firstRefusedAt: began, lastRefusedAt: began })
    expect((await said(open))[0]).toMatch(/^Deliveries are accepted again/)
    at += minuteMs
    await reconcile({ since: new Date(began - minuteMs).toISOString() })
    await reconcile({ resources: ['pa_9', 'pa_10'] })
    expect(await said(open)).toEqual([
      'Other new cases may be missing since 20:00 (deliveries were refused). 2 cases were read by id.',
    ])
    at += minuteMs
    await reconcile({ resources: [] })
    expect((await said(open))[0]).toMatch(/^All is well/)
  },
)

it('a narrower reconcile takes nothing away from a wider one, nor do syncs by id', async () => {
  ledger.reject({ reason: 'token_invalid', bytes: 1 })
  await sleep(1_200)
  at += 30 * minuteMs
  await ledger.accept(delivery)
  const open = [alertOf({ kind: 'refused', subject: 'token_invalid' })]
  at += minuteMs
  await reconcile({ since: new Date(began - minuteMs).toISOString() })
  at += minuteMs
  await reconcile({ since: new Date(at - minuteMs).toISOString() })
  for (let more = 0; more < 25; more += 1) await reconcile({ resources: ['pa_9'] })
  expect(await said(open)).toEqual([expect.stringMatching(/^Other new cases may be missing since 20:00/)])
})

it('each fault is asked for by a reconcile of its own', async () => {
  const fault = { kind: 'refused', subject: 'token_invalid' } as const
  const first = alertOf({ ...fault, closedAt: began + 2 * minuteMs })
  at += 5 * minuteMs
  await reconcile({ since: new Date(began).toISOString() })
  at += 120 * minuteMs
  const second = { ...alertOf({ ...fault, closedAt: at + 2 * minuteMs }), beganAt: at }
  at += 5 * minuteMs
  await reconcile({ since: new Date(at - 6 * minuteMs).toISOString() })
  at += 60 * minuteMs
  expect(await said([], [second, first])).toEqual([expect.stringMatching(/^New cases may be missing since 20:00/)])
})

it('refusals by a clock that was ahead are over once it was set back and deliveries are accepted', async () => {
  at += 20 * minuteMs
  ledger.reject({ reason: 'token_expired', bytes: 1 })
  await sleep(1_200)
  at -= 20 * minuteMs
  await ledger.followClock(minuteMs)
  at += minuteMs
  await ledger.accept(delivery)
  expect((await said([alertOf({ kind: 'refused', subject: 'token_expired' })]))[0]).toMatch(
    /^Deliveries are accepted ag/,
  )
})

it("past alerts of a day count if the service's own deliveries were missed, and those of an hour if others' may be", async () => {
  at += 60 * minuteMs
  const past = (subject: string, closedAt: number) => [alertOf({ kind: 'refused', subject, closedAt })]
  expect((await read([], past('token_invalid', at - minuteMs))).pastAlerts).toHaveLength(1)
  expect((await read([], past('token_missing', at - minuteMs))).pastAlerts).toHaveLength(1)
  expect((await read([], past('token_missing', at - 61 * minuteMs))).pastAlerts).toEqual([])
  expect((await read([], past('token_invalid', at - 25 * 60 * minuteMs))).pastAlerts).toEqual([])
})

it('the facts have a start that paused all work, the age of its ledger, and the people behind pauses', async () => {
  await ledger.accept(delivery)
  at += 120 * minuteMs
  await pauseAtStart(ledger)
  await ledger.pause({ kind: 'system', name: 'ehr' }, { ...act, reason: 'an upgrade' })
  expect(await read([])).toMatchObject({
    pausedStart: { at, newestAt: began },
    pauses: [{ kind: 'all' }, { kind: 'system', by: act.actor.name }],
  })
  await ledger.resume({ kind: 'all', name: '' }, act)
  at += minuteMs
  await reconcile({ since: new Date(at - minuteMs).toISOString() })
  expect((await said([]))[0]).toMatch(/^Deliveries may be missing since 20:00/)
  at += 25 * 60 * minuteMs
  expect((await read([])).pausedStart).toBeUndefined()
})
