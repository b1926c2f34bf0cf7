import request from 'supertest'
import { describe, expect, it } from 'vitest'
import type { Observation } from '../src/platform/observe.ts'
import { createTerminal, type OutputMode } from '../src/terminal/create-terminal.ts'
import { until } from '../../../test/support/until.ts'
import { control, startSandbox, startWebhook } from './play.ts'
import { ndpSubmission, priorAuthorization } from './requests.ts'

/** A terminal, or what a pipe is, and what was written to it. */
function startTerminal(mode: OutputMode, isTTY: boolean, hasColors = false) {
  const written: string[] = []
  const stream = { isTTY, hasColors: () => hasColors, write: (text: string) => written.push(text) > 0 }
  const terminal = createTerminal({ mode, stream, now: () => new Date('2026-03-01T12:00:00Z') })
  return {
    terminal,
    lines: () =>
      written
        .join('')
        .split('\n')
        .filter((line) => line !== ''),
  }
}

const delivery: Observation = {
  kind: 'delivery',
  delivery_id: 1,
  event_type: 'prior_authorization.message',
  resource_id: 'pa_req_1',
  webhook: 'main',
  host: '127.0.0.1:9000',
  attempt: 2,
  status: undefined,
  error: 'ECONNREFUSED',
  state: 'pending',
}

/** A sandbox, and all that was observed of it. */
async function startObserved(...answers: number[]) {
  const seen: Observation[] = []
  const { webhook, receiver } = await startWebhook()
  receiver.answers.push(...answers)
  const started = await startSandbox({
    observe: (one) => void seen.push(one),
    organizations: [{ id: 'org_demo', webhooks: [webhook] }],
    webhooks: { retryBaseMs: 1 },
  })
  const of = <Kind extends Observation['kind']>(kind: Kind) =>
    seen.filter((one): one is Extract<Observation, { kind: Kind }> => one.kind === kind)
  return { ...started, seen, of, webhook }
}

describe('an observer of a sandbox', () => {
  it('is told of a request, the transition that it causes, and each attempt to deliver', async () => {
    const { create, of, webhook } = await startObserved(503, 200)
    const id = await create('/prior-authorization', priorAuthorization())
    await until('both attempts', () => of('delivery').length === 2)
    expect(of('transition')).toEqual([
      { kind: 'transition', machine: 'prior_authorization', id, from: undefined, to: 'created', detail: undefined },
    ])
    expect(of('request')).toEqual([
      { kind: 'request', method: 'POST', path: '/prior-authorization', status: 200, duration_ms: expect.any(Number) },
    ])
    const about = { event_type: 'prior_authorization.status_change', resource_id: id, host: new URL(webhook.url).host }
    expect(of('delivery')).toMatchObject([
      { ...about, attempt: 1, status: 503, state: 'pending' },
      { ...about, attempt: 2, status: 200, state: 'delivered' },
    ])
  })

  it('is told of outcomes, and of what becomes of a transfer', async () => {
    const { create, of, sandbox } = await startObserved()
    const mock_result = { result: 'Approved', prescription_transfer_error_code: 'pharmacy_does_not_exist' } as const
    const id = await create('/prior-authorization', priorAuthorization({ mock_result, ndp_submission: ndpSubmission }))
    for (const status of ['processing', 'awaiting_outcome', 'completed']) sandbox.controls.push(id, status)
    for (const state of ['attempted', 'error']) sandbox.controls.pushTransfer(id, state)
    expect(of('transition').slice(-4)).toMatchObject([
      { machine: 'prior_authorization', from: 'awaiting_outcome', to: 'completed', detail: 'Approved, approval' },
      { machine: 'prescription_transfer', to: 'waiting' },
      { machine: 'prescription_transfer', from: 'waiting', to: 'attempted' },
      { machine: 'prescription_transfer', from: 'attempted', to: 'error', detail: 'pharmacy_does_not_exist' },
    ])
  })

  it('is told of a refusal and its reasons, by the names of fields', async () => {
    const { call, of } = await startObserved()
    const { patient, ...rest } = priorAuthorization()
    await call('post', '/prior-authorization', {
      ...rest,
      patient: { ...patient, gender: 'Secret', '\u001B[31mkey': 1 },
    })
    await call('get', '/benefit-verification/bv_none')
    await until('both', () => of('refusal').length === 2)
    expect(of('request')).toMatchObject([
      { status: 422, code: 'validation_error' },
      { status: 404, code: 'not_found' },
    ])
    expect(of('refusal')).toMatchObject([
      {
        status: 422,
        reasons: [expect.stringMatching(/^body\.patient\.gender: /), expect.stringContaining('?[31mkey')],
      },
      { status: 404, path: '/benefit-verification/bv_none', reasons: ['Benefit verification does not exist.'] },
    ])
  })

  it('hears nothing of the content: no patient, no secret, no token', async () => {
    const { create, call, seen, sandbox, webhook } = await startObserved()
    const id = await create('/prior-authorization', priorAuthorization())
    sandbox.controls.addMessage(id, { content: 'Words of a message' })
    await call('post', '/prior-authorization', { patient: { first_name: 'Testa' } })
    await call('get', '/nowhere/at/all?name=Testa')
    await until('the deliveries', () => seen.filter(({ kind }) => kind === 'delivery').length === 2)
    const told = JSON.stringify(seen)
    for (const content of ['Testa', 'Sample', '1980-02-29', 'Words of', webhook.secret, 'Bearer', 'eyJ'])
      expect(told).not.toContain(content)
  })

  it('is not told of what is only looked at', async () => {
    const { sandbox, of } = await startObserved()
    await control(sandbox, 'get', '/clock').expect(200)
    await request(sandbox.app).get('/openapi.json').expect(200)
    await control(sandbox, 'get', '/nothing').expect(404)
    await control(sandbox, 'put', '/clock', { speed: 0 }).expect(200)
    await until('the two', () => of('request').length === 2)
    expect(of('request').map(({ path }) => path)).toEqual(['/_sandbox/nothing', '/_sandbox/clock'])
  })

  it('hears of a call that is never answered', async () => {
    const { sandbox, call, of } = await startObserved()
    sandbox.controls.setChaos({ answering: { disconnect: 1 } })
    await expect(call('get', '/status')).rejects.toThrow()
    await until('it', () => of('request').length === 1)
    expect(of('request')[0]).toMatchObject({ path: '/status', status: undefined })
  })
})

describe('the terminal', () => {
  it('prints a line for people, in colors only where it has them', () => {
    for (const hasColors of [true, false]) {
      const { terminal, lines } = startTerminal('auto', true, hasColors)
      terminal.welcome('Welcome!', { url: 'http://x/' })
      terminal.observe(delivery)
      const [welcome, line = ''] = lines()
      expect(welcome).toBe('Welcome!')
      expect(line.includes('\u001B[')).toBe(hasColors)
      if (!hasColors)
        expect(line).toMatch(
          /^\d\d:00:00 {2}delivery {4}--- {2}pa_req_1 {2}prior_authorization\.message → 127\.0\.0\.1:9000 {2}attempt 2, ECONNREFUSED$/,
        )
    }
  })

  it.each(['pretty', 'json'] as const)('shows characters that steer a terminal as escapes, %s', (mode) => {
    const { terminal, lines } = startTerminal(mode, true, false)
    const path = '/prior-authorization/\u009b2J\u202egnp.exe'
    terminal.observe({ kind: 'request', method: 'GET', path, status: 404, duration_ms: 1 })
    terminal.observe({ ...delivery, error: 'E\u202eDOC' })
    expect(lines().join('\n')).toMatch(/authorization\/\\u009b2J\\u202egnp[^]*E\\u202eDOC/)
    expect(lines().join('\n')).not.toMatch(/[\u009b\u202e]/)
  })

  it('aligns what is below each other', () => {
    const { terminal, lines } = startTerminal('pretty', false)
    terminal.observe({ kind: 'request', method: 'GET', path: '/status', status: 200, duration_ms: 1 })
    terminal.observe({
      kind: 'transition',
      machine: 'prior_authorization',
      id: 'pa_req_1',
      from: 'created',
      to: 'failed',
    })
    terminal.observe({ kind: 'refusal', method: 'GET', path: '/x', status: 404, reasons: ['one', 'two'] })
    expect(lines().map((line) => line.slice(10))).toEqual([
      'request     200  GET   /status  1 ms',
      'transition       pa_req_1  created → failed',
      'refusal     404  one | two',
    ])
  })

  it('prints JSON where it is none, or where JSON is asked for', () => {
    for (const [mode, isTTY] of [
      ['auto', false],
      ['json', true],
    ] as const) {
      const { terminal, lines } = startTerminal(mode, isTTY)
      terminal.welcome('Welcome!', { url: 'http://x/' })
      terminal.observe(delivery)
      expect(lines().map((line) => JSON.parse(line))).toEqual([
        { time: '2026-03-01T12:00:00.000Z', kind: 'listening', url: 'http://x/' },
        JSON.parse(JSON.stringify({ time: '2026-03-01T12:00:00.000Z', ...delivery })),
      ])
    }
  })

  it('prints nothing where it is to be quiet', () => {
    const { terminal, lines } = startTerminal('quiet', true)
    terminal.welcome('Welcome!', {})
    terminal.observe(delivery)
    expect(lines()).toEqual([])
  })
})
