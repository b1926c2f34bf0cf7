import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { startSandbox, startWebhook } from './play.ts'
import { benefitVerification, priorAuthorization } from './requests.ts'

const day = 86_400_000

async function startWith(options = {}) {
  const wall = { at: Date.parse('2026-01-01T00:00:00Z'), now: () => wall.at }
  const started = await startSandbox({ clock: wall, ...options })
  const control = (method: 'get' | 'put' | 'delete', path: string, body?: object) =>
    request(started.sandbox.app)[method](`/_sandbox${path}`).send(body)
  return { ...started, wall, control }
}

describe('the controls of the platform', () => {
  it('show and set the speed of time', async () => {
    const { control, wall } = await startWith()
    const reading = { now: '2026-01-01T00:00:00.000Z', speed: 0, next: null }
    expect((await control('get', '/clock').expect(200)).body.data).toEqual(reading)
    await control('put', '/clock', { speed: 60 }).expect(200)
    wall.at += 60_000
    expect((await control('get', '/clock').expect(200)).body.data.now).toBe('2026-01-01T01:00:00.000Z')
    await control('put', '/clock', { speed: 0 }).expect(200)
    wall.at += 60_000
    expect((await control('get', '/clock').expect(200)).body.data.now).toBe('2026-01-01T01:00:00.000Z')
    await control('put', '/clock', { speed: -1 }).expect(422)
  })

  it('advance time and run each due transition at its own time', async () => {
    const { control, create, read } = await startWith()
    const bv = await create('/benefit-verification', benefitVerification({ mock_result: { status: 'completed' } }))
    const pa = await create('/prior-authorization', priorAuthorization())
    const { next } = (await control('get', '/clock').expect(200)).body.data
    expect(Date.parse(next)).toBeGreaterThan(Date.parse('2026-01-01T00:00:00Z'))
    await control('put', '/clock', { advance_ms: 10 * day }).expect(200)
    expect((await control('get', '/clock').expect(200)).body.data.now).toBe('2026-01-11T00:00:00.000Z')
    expect(await read(`/benefit-verification/${bv}`)).toMatchObject({ status: 'completed' })
    const ended = await read(`/prior-authorization/${pa}`)
    expect(ended.status).toBe('completed')
    expect(Date.parse(ended.activity_log.at(-1).created_at)).toBeLessThan(Date.parse('2026-01-06T00:00:00Z'))
  })

  it('show the seed, the organizations and their webhooks, but no secret', async () => {
    const { webhook } = await startWebhook()
    const { control } = await startWith({ organizations: [{ id: 'org_a', webhooks: [webhook] }] })
    expect((await control('get', '/seed').expect(200)).body.data).toEqual({ seed: 7 })
    const answer = await control('get', '/organizations').expect(200)
    expect(answer.body.data).toMatchObject([
      {
        id: 'org_a',
        workflow: 'delegated',
        quotas: expect.any(Object),
        webhooks: [{ name: 'main', url: webhook.url }],
      },
    ])
    expect(answer.text).not.toContain(webhook.secret)
  })
})
