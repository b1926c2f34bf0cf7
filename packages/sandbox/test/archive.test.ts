import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Sqlite } from '../../base/src/sqlite.ts'
import { createSandbox } from '../src/sandbox.ts'
import { asOrganization, startSandbox, startWebhook } from './play.ts'
import { startReceiver } from './start-receiver.ts'
import { benefitVerification, ndpSubmission, priorAuthorization } from './requests.ts'
import { callJson, startProcess } from './sandbox-process.ts'

let folder: string
let data: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  data = join(folder, 'sandbox.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a sandbox with a data file', () => {
  it('keeps its whole state across a restart', async () => {
    const { webhook } = await startWebhook({ url: 'http://127.0.0.1:1/nobody' })
    const quotas = { 'read-endpoint-minute': 77 }
    const organizations = [{ id: 'org_a', workflow: 'non_delegated' as const, quotas, webhooks: [webhook] }]
    const first = await startSandbox({ data, organizations })
    const token = await first.sandbox.issueToken()
    const pa = await first.create('/prior-authorization', priorAuthorization())
    const bv = await first.create('/benefit-verification', benefitVerification())
    first.sandbox.controls.step()
    first.sandbox.controls.addMessage(pa, { content: 'Hello' })
    const before = first.sandbox.truth()
    const deliveries = first.sandbox.controls.deliveries().map(({ id, body }) => ({ id, body }))
    await first.sandbox.close()

    const second = createSandbox({ data, speed: 0, webhooks: { maxAttempts: 1 } })
    try {
      expect(second.seed).toBe(first.sandbox.seed)
      expect(second.truth()).toEqual(before)
      expect(second.controls.deliveries().map(({ id, body }) => ({ id, body }))).toEqual(deliveries)
      const { url } = await second.listen()
      const read = await fetch(`${url}/prior-authorization/${pa}`, { headers: { authorization: `Bearer ${token}` } })
      expect(read.status).toBe(200)
      expect(read.headers.get('ratelimit-policy')).toContain('q=77')
      while (second.controls.step() !== undefined);
      expect(second.truth().benefit_verifications[0]).toMatchObject({ id: bv })
      expect(second.truth().benefit_verifications[0]?.status).not.toBe('pending')
      expect(second.truth().prior_authorizations[0]?.status).toBe('completed')
    } finally {
      await second.close()
    }
  })

  it('keeps input for analytics, which no answer shows', async () => {
    const { sandbox, call, create } = await startSandbox({ data })
    const id = await create('/prior-authorization', priorAuthorization())
    const feedback = { category: 'speed', message: 'fine' }
    await call('post', `/prior-authorization/${id}/feedback`, feedback).expect(201)
    await call('post', `/prior-authorization/${id}/cancel`, { cancellation_reason: 'changed' }).expect(200)
    await sandbox.close()
    const database = new Sqlite(data, { readonly: true })
    const kept = database.prepare('SELECT value FROM entries WHERE id = ?').pluck().get(`prior_authorization/${id}`)
    database.close()
    expect(JSON.parse(String(kept))).toMatchObject({ feedback: [feedback], cancellationReason: 'changed' })
  })

  it('continues as it would have without the restart', async () => {
    const options = { seed: 11, speed: 0 }
    const play = async (restartsAfter: number) => {
      const file = join(folder, `${restartsAfter}.db`)
      const wall = { now: () => Date.parse('2026-01-01T00:00:00Z') }
      let sandbox = createSandbox({ ...options, clock: wall, data: file })
      const { create } = await asOrganization(sandbox)
      await create('/prior-authorization', priorAuthorization({ ndp_submission: ndpSubmission }))
      for (let steps = 1; sandbox.controls.step() !== undefined; steps++) {
        if (steps !== restartsAfter) continue
        await sandbox.close()
        sandbox = createSandbox({ ...options, clock: wall, data: file })
      }
      const truth = sandbox.truth()
      await sandbox.close()
      return withoutDrawnIds(truth)
    }
    expect(await play(3)).toEqual(await play(Infinity))
  })

  it('gives new resources new ids after a restart with the same seed', async () => {
    const ids = new Set<string>()
    for (let round = 0; round < 3; round++) {
      const sandbox = createSandbox({ data, seed: 5, speed: 0 })
      const { create } = await asOrganization(sandbox)
      ids.add(await create('/prior-authorization', priorAuthorization()))
      await sandbox.close()
    }
    expect(ids.size).toBe(3)
  })

  it('stops sandbox time while it is down, and never lets it go back', async () => {
    const first = await startSandbox({ data, speed: 1_000_000, detours: {} })
    const id = await first.create('/prior-authorization', priorAuthorization())
    await first.sandbox.settled()
    await first.sandbox.close()
    const second = await startSandbox({ data })
    second.sandbox.controls.addMessage(id, { content: 'Hello' })
    // The compiler cannot see what the service's own answers hold.
    const { activity_log: log, message_thread: thread } = await second.read(`/prior-authorization/${id}`)
    expect(Date.parse(thread.messages[0].timestamp)).toBeGreaterThanOrEqual(Date.parse(log.at(-1).created_at))
  })

  it('keeps planned failures and chaos across a restart, unless overridden', async () => {
    const operation = 'GET /benefit-verification/{id}'
    const again = async (options = {}) => {
      const sandbox = createSandbox({ data, speed: 0, ...options })
      const { call } = await asOrganization(sandbox)
      return { sandbox, fails: async () => (await call('get', '/benefit-verification/bv_none')).status === 500 }
    }
    const first = await again({ chaos: 'heavy' })
    first.sandbox.controls.setChaos({ sending: { drop: 0.5 } })
    const chaos = first.sandbox.controls.readChaos()
    first.sandbox.controls.failNext({ operation, code: 'unexpected_error', times: 2 })
    expect(await first.fails()).toBe(true)
    await first.sandbox.close()

    const second = await again()
    expect(second.sandbox.controls.readChaos()).toEqual(chaos)
    expect(await second.fails()).toBe(true)
    await second.sandbox.close()

    const third = await again({ chaos: 'off' })
    expect(await third.fails()).toBe(false)
    await third.sandbox.close()

    const fourth = await again()
    expect(fourth.sandbox.controls.readChaos().sending.drop).toBe(0)
    await fourth.sandbox.close()
  })

  it('refuses a second sandbox, and a foreign database', async () => {
    await startSandbox({ data })
    expect(() => createSandbox({ data })).toThrow('locked')
    const other = join(folder, 'other.db')
    new Sqlite(other).exec('CREATE TABLE strangers (id INTEGER)').close()
    expect(() => createSandbox({ data: other })).toThrow('not written by this version')
  })
})

/** Ids that are drawn one after the other differ after a restart. */
function withoutDrawnIds(truth: unknown): unknown {
  return JSON.parse(JSON.stringify(truth).replaceAll(/(pa_req|act|msg)_[a-z0-9]+/g, '$1'))
}

describe('the process with a data file', () => {
  it('loses no answered request and no pending work when it is killed', async () => {
    const receiver = await startReceiver()
    try {
      receiver.answers.push(...Array<'silence'>(1_000).fill('silence'))
      const hook = ['--webhook-url', receiver.url, '--webhook-secret', 'a-secret-of-the-tests']
      const first = await startProcess('--data', data, '--speed', '0', ...hook)
      const answered: string[] = []
      const creating = Promise.allSettled(
        Array.from({ length: 4 }, async () => {
          for (;;) {
            const { body } = await callJson(first, 'POST', '/prior-authorization', priorAuthorization())
            answered.push(body.data.id)
          }
        }),
      )
      await expect.poll(() => answered.length).toBeGreaterThan(40)
      expect(await first.end('SIGKILL')).toBe('SIGKILL')
      await creating
      receiver.answers.length = 0
      receiver.received.length = 0

      // The token, the organization's webhook and every resource are still there.
      const second = await startProcess('--data', data, '--speed', '1000000')
      for (const id of answered)
        expect((await callJson({ ...second, token: first.token }, 'GET', `/prior-authorization/${id}`)).status).toBe(
          200,
        )
      const ended = async () => {
        const { body } = await callJson(second, 'GET', '/_sandbox/truth')
        return new Set(body.data.prior_authorizations.map(({ status }: { status: string }) => status))
      }
      await expect.poll(ended).toEqual(new Set(['completed']))
      const told = (status: string) =>
        new Set(receiver.received.flatMap(({ envelope: { data } }) => (data.status === status ? [data.id] : [])))
      const untold = () =>
        answered.filter((id) => !['created', 'processing', 'completed'].every((status) => told(status).has(id)))
      await expect.poll(untold).toEqual([])
    } finally {
      await receiver.close()
    }
  })
})
