import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { type Fetch, leanFetch } from '../../../base/src/net/fetch.ts'
import { everything } from '../../../../test/support/charts/everything.ts'
import type { ChartProfile, TypeRules } from '../../../../test/support/charts/profile.ts'
import { remembering } from '../../../../test/support/charts/remembering.ts'
import { type Chart, startChart } from '../../../../test/support/charts/start-chart.ts'
import { createTestRun } from '../../../../test/support/run-context.ts'
import { samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { createChartEhr, identifierBase, token } from './connect.ts'
import { plain, withRules } from './plain.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

const patient = { mrn: '0007', internal_id: '1007', date_of_birth: '1970-01-31' }
const pa = (status: string, different: Record<string, unknown> = {}) =>
  samplePriorAuthorization({ patient, status, ...different })
const approved = pa('completed', { outcome: { result: 'Approved' } })
const review = { reason: 'awaiting_review', title: 'Review it' }

async function start(profile: ChartProfile, fetch: Fetch = leanFetch) {
  const chart = await startChart(profile, { token })
  charts.push(chart)
  chart.seedPatient({ mrn: '0007', birthDate: '1970-01-31', name: 'Testa Sample' })
  const connect = () =>
    createChartEhr(chart, {
      fetch,
    })
  /** Requests to the chart during this work, by method and type. */
  async function asked(work: () => Promise<unknown>): Promise<string[]> {
    const before = new Map(chart.requests)
    await work()
    return [...chart.requests].flatMap(([name, count]) =>
      Array.from({ length: count - (before.get(name) ?? 0) }, () => name),
    )
  }
  return { chart, connect, open: connect().open, asked }
}

const taskOf = (chart: Chart, kind = 'prior-authorization') =>
  chart.all('Task', ({ identifier }) => identifier?.[0]?.system === `${identifierBase}/${kind}`)[0]

const note = [{ text: 'Called the payer.' }]

/** Staff take the Task over, with a remark. */
function workOn(chart: Chart): void {
  chart.edit('Task', taskOf(chart)?.id ?? '', (held) => {
    held.note = note
    held.owner = { display: 'Nurse Example' }
  })
}

const versionless = withRules('versionless', plain, (rules): TypeRules => ({ ...rules, versioning: 'no-version' }))

describe.each([plain, everything])('the chart $name', (profile) => {
  it('gets no request if nothing changed, even after a restart; edits of staff stay', async () => {
    const { chart, connect, open, asked } = await start(profile)
    const run = createTestRun()
    await open(run).putPriorAuthorization(pa('awaiting_outcome'))
    chart.edit('Task', taskOf(chart)?.id ?? '', (held) => void (held.status = 'on-hold'))
    expect(await asked(() => open(run).putPriorAuthorization(pa('awaiting_outcome')))).toEqual([])
    expect(await asked(() => connect().open(run).putPriorAuthorization(pa('awaiting_outcome')))).toEqual([
      'GET metadata',
    ])
    expect(taskOf(chart)).toMatchObject({ status: 'on-hold' })
  })

  it('gets one conditional write for each changed type, and a read of the patient', async () => {
    const { chart, open, asked } = await start(profile)
    const run = createTestRun()
    await open(run).putPriorAuthorization(pa('awaiting_outcome'))
    const first = taskOf(chart)
    const requests = await asked(() => open(run).putPriorAuthorization(approved))
    expect(requests.map((name) => name.replace('PATCH', 'PUT')).toSorted()).toEqual([
      'GET Patient',
      'PUT ClaimResponse',
      'PUT DocumentReference',
      'PUT Task',
    ])
    expect(taskOf(chart)).toMatchObject({ status: 'completed', authoredOn: first?.authoredOn })
    expect(chart.all('ClaimResponse')).toMatchObject([{ outcome: 'complete', disposition: 'Approved' }])
  })

  it.each(['DocumentReference', 'ClaimResponse'] as const)(
    'gets no change to a %s that staff marked as entered in error, until they take that back',
    async (type) => {
      const { chart, open, asked } = await start(profile)
      const run = createTestRun()
      await open(run).putPriorAuthorization(pa('awaiting_outcome'))
      const [held] = chart.all(type)
      const mark = (status = held?.status) =>
        chart.edit(type, held?.id ?? '', (record) => void Object.assign(record, { status }))
      mark('entered-in-error')
      await open(run).putPriorAuthorization(approved)
      expect(chart.all(type)).toMatchObject([{ status: 'entered-in-error', meta: { versionId: '2' } }])
      expect(taskOf(chart)).toMatchObject({ status: 'completed' })
      expect(await asked(() => open(run).putPriorAuthorization(approved))).toEqual([])
      mark()
      await open(run).putPriorAuthorization(pa('completed', { outcome: { result: 'Denied' } }))
      expect(chart.all(type)).toHaveLength(1)
      expect(chart.all(type)).toMatchObject([{ status: held?.status, meta: { versionId: '4' } }])
    },
  )

  it('ends in A after A, B whose answer was lost, and A', async () => {
    const { chart, open } = await start(profile)
    const run = createTestRun()
    await open(run).putPriorAuthorization(pa('awaiting_outcome'))
    chart.loseNextAnswer({ type: 'Task' })
    await expect(open(run).putPriorAuthorization(approved)).rejects.toMatchObject({ code: 'ehr_write_failed' })
    expect(taskOf(chart)).toMatchObject({ status: 'completed' })
    await open(run).putPriorAuthorization(pa('awaiting_outcome'))
    expect(taskOf(chart)).toMatchObject({ status: 'in-progress' })
  })

  it('ends in A after A, B of a process that was killed, and A', async () => {
    const { chart, open } = await start(profile)
    const run = createTestRun()
    await open(run).putPriorAuthorization(pa('awaiting_outcome'))
    await open({ ...run, memory: { ...run.memory, note() {}, write: async () => {} } }).putPriorAuthorization(approved)
    await open({ ...run, inDoubt: true }).putPriorAuthorization(pa('awaiting_outcome'))
    expect(taskOf(chart)).toMatchObject({ status: 'in-progress' })
  })

  it('gets a staff task closed even if its opening had no answer', async () => {
    const { chart, open } = await start(profile)
    const run = createTestRun()
    await open(run).closeStaffTask(pa('created'), 'completed')
    chart.loseNextAnswer({ type: 'Task' })
    await expect(open(run).openStaffTask(pa('awaiting_review'), review)).rejects.toMatchObject({
      code: 'ehr_write_failed',
    })
    await open(run).closeStaffTask(approved, 'completed')
    expect(chart.all('Task')).toMatchObject([{ status: 'completed' }])
  })
})

it('a chart without versions is read before each change, and staff keep what they wrote', async () => {
  const { chart, open, asked } = await start(versionless)
  const run = createTestRun()
  await open(run).putPriorAuthorization(pa('processing'))
  workOn(chart)
  const requests = await asked(() => open(run).putPriorAuthorization(approved))
  for (const type of ['Task', 'ClaimResponse', 'DocumentReference']) expect(requests).toContain(`GET ${type}`)
  expect(taskOf(chart)).toMatchObject({ status: 'completed', note })
})

it('a chart without versions keeps what staff wrote between the read and the update, by its time of the last change', async () => {
  let edit: (() => void) | undefined
  const { chart, open } = await start(versionless, async (address, init) => {
    if (init.method === 'PUT' && address.includes('/Task/')) {
      // The header counts in seconds.
      if (edit !== undefined) await sleep(1_100)
      edit?.()
      edit = undefined
    }
    return leanFetch(address, init)
  })
  const run = createTestRun()
  await open(run).putPriorAuthorization(pa('processing'))
  edit = () => workOn(chart)
  await open(run).putPriorAuthorization(approved)
  expect(taskOf(chart)).toMatchObject({ status: 'completed', note, owner: { display: 'Nurse Example' } })
})

it('a chart that shows nothing of what it wrote is read before the first change, not before later ones', async () => {
  const { open, asked } = await start(remembering)
  const run = createTestRun()
  await open(run).putPriorAuthorization(pa('processing'))
  expect(await asked(() => open(run).putPriorAuthorization(pa('awaiting_outcome')))).toContain('GET Task')
  const later = await asked(() => open(run).putPriorAuthorization(approved))
  expect(later.filter((name) => name.startsWith('GET') && name !== 'GET Patient')).toEqual([])
})

it('a chart that appends notes is sent none again by a change, whether it is read before or not', async () => {
  const appending = withRules('appending', plain, (rules): TypeRules => ({
    ...rules,
    updated: (resource, previous) =>
      resource.resourceType === 'Task' && previous.resourceType === 'Task'
        ? { ...resource, note: [...(previous.note ?? []), ...(resource.note ?? [])] }
        : resource,
  }))
  const chart = await startChart(appending, { token })
  charts.push(chart)
  chart.seedPatient({ mrn: '0007', birthDate: '1970-01-31', name: 'Testa Sample' })
  const { open } = createChartEhr(chart, {
    profileOverrides: { Task: { appended: ['note'] } },
    shape: (resource) => (resource.resourceType === 'Task' ? { ...resource, note } : resource),
  })
  const run = createTestRun()
  for (const given of [pa('processing'), pa('awaiting_outcome'), approved]) await open(run).putPriorAuthorization(given)
  expect(taskOf(chart)).toMatchObject({ status: 'completed', note })
})

describe('a chart that takes patches', () => {
  it('leaves what staff ended as they ended it, even if it patches regardless of versions', async () => {
    const { chart, open } = await start(everything, (address, init) => {
      const { 'if-match': _ifMatch, ...headers } = init.headers
      return leanFetch(address, { ...init, headers })
    })
    const run = createTestRun()
    await open(run).openStaffTask(pa('awaiting_review'), review)
    chart.edit('Task', chart.all('Task')[0]?.id ?? '', (held) => void (held.status = 'rejected'))
    await open(run).closeStaffTask(approved, 'completed')
    expect(chart.all('Task')).toMatchObject([{ status: 'rejected' }])
  })

  it('is updated in place of patched once it refused a patch', async () => {
    const { chart, open, asked } = await start(everything, async (address, init) => {
      if (init.method !== 'PATCH') return leanFetch(address, init)
      patches += 1
      return { status: 415, headers: new Headers(), text: async () => '' }
    })
    let patches = 0
    const run = createTestRun()
    await open(run).putPriorAuthorization(pa('processing'))
    await open(run).putPriorAuthorization(pa('awaiting_outcome'))
    expect(taskOf(chart)).toMatchObject({ businessStatus: { text: 'awaiting_outcome' }, priority: 'routine' })
    const before = patches
    const requests = await asked(() => open(run).putPriorAuthorization(approved))
    expect(patches).toBe(before)
    expect(requests).toContain('PUT Task')
    expect(taskOf(chart)).toMatchObject({ status: 'completed', priority: 'routine' })
  })
})
