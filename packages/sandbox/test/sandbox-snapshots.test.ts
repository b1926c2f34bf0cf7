import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Sqlite } from '../../base/src/sqlite.ts'
import { createSandbox, type Sandbox } from '../src/sandbox.ts'
import { until } from '../../../test/support/until.ts'
import { asOrganization, evenDetours, startSandbox, startWebhook } from './play.ts'
import { benefitVerification, ndpSubmission, priorAuthorization } from './requests.ts'
import { runProcess, startProcess } from './sandbox-process.ts'

let folder: string
let data: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  data = join(folder, 'sandbox.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const wall = { now: () => Date.parse('2026-01-01T00:00:00Z') }
const chaos = { sending: { duplicate: 0.3, drop: 0.2, unknown_status: 0.2 }, answering: { rate_limited: 0.2 } }

/** A sandbox with cases on their way, a planned failure, a used quota and faults by chance. */
async function startBusySandbox(options: { data?: string } = {}) {
  const { receiver, webhook } = await startWebhook()
  const started = await startSandbox({
    ...options,
    seed: 11,
    clock: wall,
    detours: evenDetours,
    chaos,
    organizations: [{ id: 'org_a', webhooks: [webhook] }],
    webhooks: { maxAttempts: 1 },
  })
  const { sandbox } = started
  await createCases(sandbox)
  for (let steps = 0; steps < 5; steps++) sandbox.controls.step()
  sandbox.controls.failNext({ operation: 'GET /status', code: 'service_unavailable', times: 2 })
  await delivered(sandbox)
  return { ...started, receiver }
}

const delivered = (sandbox: Sandbox) =>
  until('all deliveries end', () => sandbox.controls.deliveries().every(({ state }) => state !== 'pending'))

/** Creates cases until chance lets enough of them pass. */
async function createCases(sandbox: Sandbox): Promise<number[]> {
  const { call } = await asOrganization(sandbox)
  const statuses: number[] = []
  for (let made = 0; made < 6; made++) {
    const pa = await call('post', '/prior-authorization', priorAuthorization({ ndp_submission: ndpSubmission }))
    const bv = await call('post', '/benefit-verification', benefitVerification())
    statuses.push(pa.status, bv.status)
  }
  return statuses
}

/** Plays on to the end, and tells all that is seen of it. */
async function playOn(sandbox: Sandbox) {
  const { controls, app } = sandbox
  const { call } = await asOrganization(sandbox)
  const created = await createCases(sandbox)
  const windows = controls.readRateWindows()
  const { body: lookup } = await call('post', '/provider/lookup', { npi: '1234567893' })
  const steps = []
  for (let step = controls.step(); step !== undefined; step = controls.step()) {
    steps.push(step)
    await delivered(sandbox)
  }
  const deliveries = controls.deliveries().map(({ attempts: _attempts, ...delivery }) => delivery)
  const truth = sandbox.truth()
  const stories = truth.prior_authorizations.map(({ id }) => controls.story(id))
  const failures = controls.listFailures()
  const seed = (await request(app).get('/_sandbox/seed')).body
  return { created, windows, lookup, steps, deliveries, truth, stories, failures, clock: controls.readClock(), seed }
}

function withoutBodies({ deliveries, ...rest }: Awaited<ReturnType<typeof playOn>>) {
  return { ...rest, deliveries: deliveries.map(({ body: _body, ...delivery }) => delivery) }
}

describe('a snapshot', () => {
  it('puts the sandbox back exactly: what follows is what followed before, events and ids included', async () => {
    const { sandbox } = await startBusySandbox()
    const before = { truth: sandbox.truth(), clock: sandbox.controls.readClock() }
    sandbox.controls.saveSnapshot('midway')
    const first = await playOn(sandbox)
    expect(first.steps.length).toBeGreaterThan(10)
    expect(first.created).toContain(429)
    sandbox.controls.reset()
    sandbox.controls.putOrganization({ id: 'org_other' })
    sandbox.controls.setClock({ speed: 5, advanceMs: 1_000_000 })

    sandbox.controls.loadSnapshot('midway')
    expect({ truth: sandbox.truth(), clock: sandbox.controls.readClock() }).toEqual(before)
    expect(sandbox.controls.listOrganizations().map(({ id }) => id)).toEqual(['org_a'])
    expect(await playOn(sandbox)).toEqual(first)
    sandbox.controls.loadSnapshot('midway')
    expect(await playOn(sandbox)).toEqual(first)
  })

  it('is kept in the data file, and loads after a restart under another seed', async () => {
    const { sandbox } = await startBusySandbox({ data })
    const { webhooks } = sandbox.controls.readOrganization('org_a')
    sandbox.controls.saveSnapshot('midway')
    const first = await playOn(sandbox)
    await sandbox.close()

    const second = createSandbox({
      data,
      seed: 5,
      speed: 0,
      clock: wall,
      detours: evenDetours,
      webhooks: { maxAttempts: 1 },
    })
    try {
      expect(second.controls.listSnapshots()).toEqual([
        {
          name: 'midway',
          savedAt: new Date(wall.now()).toISOString(),
          now: expect.any(String),
          cases: expect.any(Number),
        },
      ])
      second.controls.loadSnapshot('midway')
      expect(second.seed).toBe(11)
      expect(second.controls.readOrganization('org_a').webhooks).toEqual(webhooks)
      // Bodies of deliveries have file addresses, signed with a key that no restart keeps.
      expect(withoutBodies(await playOn(second))).toEqual(withoutBodies(first))
    } finally {
      await second.close()
    }
    const third = createSandbox({ data, speed: 0 })
    expect(third.seed).toBe(11)
    await third.close()
  })

  it('holds deliveries that wait: they are sent after it was loaded, in the order of chance', async () => {
    const { receiver, webhook } = await startWebhook()
    const { sandbox, create } = await startSandbox({
      organizations: [{ id: 'org_a', webhooks: [webhook] }],
      chaos: { sending: { reorder: 1 } },
    })
    const id = await create('/prior-authorization', priorAuthorization())
    sandbox.controls.saveSnapshot('held-back')
    const overtaken = async () => {
      receiver.received.splice(0)
      sandbox.controls.push(id, 'processing')
      await delivered(sandbox)
      return receiver.received.map(({ envelope }) => envelope.data.status)
    }
    const first = await overtaken()
    expect(first).toEqual(['processing', 'created'])
    sandbox.controls.loadSnapshot('held-back')
    expect(sandbox.controls.deliveries().map(({ state }) => state)).toEqual(['pending'])
    expect(await overtaken()).toEqual(first)
    sandbox.controls.loadSnapshot('held-back')
    receiver.received.splice(0)
    await until('the delivery is sent by itself', () => receiver.received.length === 1)
  })

  it('is refused by a name that is taken, unknown or no name, and by another version of the sandbox', async () => {
    const { sandbox } = await startSandbox({ data })
    const save = (body: object) => request(sandbox.app).post('/_sandbox/snapshots').send(body)
    expect((await save({ name: 'a b' }).expect(422)).text).toContain('letters, digits, dots')
    await save({ name: 'empty' }).expect(200)
    const taken = await save({ name: 'empty' }).expect(409)
    expect(taken.body.error).toMatchObject({ code: 'snapshot_exists' })
    await save({ name: 'empty', replace: true }).expect(200)
    const unknown = await request(sandbox.app).post('/_sandbox/snapshots/full/load').expect(404)
    expect(unknown.body.error).toMatchObject({
      code: 'unknown_snapshot',
      description: 'There is no snapshot full; there are: empty.',
    })
    await request(sandbox.app).delete('/_sandbox/snapshots/full').expect(404)
    await sandbox.close()

    const database = new Sqlite(data)
    database.exec(`UPDATE entries SET value = json_set(value, '$.version', 0) WHERE kind = 'snapshot'`)
    database.close()
    const again = await startSandbox({ data })
    const other = await request(again.sandbox.app).post('/_sandbox/snapshots/empty/load').expect(409)
    expect(other.body.error).toMatchObject({ code: 'snapshot_of_other_version' })
    await request(again.sandbox.app).delete('/_sandbox/snapshots/empty').expect(200)
    expect(again.sandbox.controls.listSnapshots()).toEqual([])
  })

  it('is saved, listed, loaded and removed from another terminal', async () => {
    const { url, token } = await startProcess('--speed', '0', '--seed', '3')
    const port = ['--port', new URL(url).port]
    const read = async () => (await (await fetch(`${url}/_sandbox/truth`)).json()).data.prior_authorizations.length
    const post = (path: string, body: object) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await post('/prior-authorization', priorAuthorization())
    expect((await runProcess(['save', 'one', ...port])).output).toMatch(/^Saved one: 1 case at /)
    await post('/_sandbox/reset', {})
    expect(await read()).toBe(0)
    expect((await runProcess(['load', 'one', ...port])).output).toMatch(/^Loaded one: 1 case at /)
    expect(await read()).toBe(1)
    const listed = await runProcess(['snapshots', '--json', ...port])
    expect(JSON.parse(listed.output)).toMatchObject([{ name: 'one', cases: 1 }])
    const taken = await runProcess(['save', 'one', ...port])
    expect(taken).toMatchObject({ exitCode: 1, faults: expect.stringContaining('There is a snapshot one already') })
    expect((await runProcess(['remove', 'one', ...port])).output).toBe('Removed one.\n')
    expect((await runProcess(['snapshots', ...port])).output).toContain('No snapshots')
  })
})
