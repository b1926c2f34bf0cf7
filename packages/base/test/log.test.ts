import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler, PawlError } from '../../../src/index.ts'
import { describeError } from '../src/errors.ts'
import { createLog } from '../src/log.ts'
import { checkIntegration } from '../../../src/work/check-integration.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { type PawlProcesses, preparePawl } from '../../../test/support/pawl-processes.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'

class ChartLocked extends PawlError {
  readonly code = 'chart_locked'
}

describe('the kept part of a foreign error', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' })

  it.each([
    ['its own code', refused, 'ECONNREFUSED', /^Error at log\.test\.ts:\d+$/],
    [
      'the code of its cause',
      new TypeError('x', { cause: refused }),
      'ECONNREFUSED',
      /^TypeError at log\.test\.ts:\d+$/,
    ],
    [
      'the code of the cause of its cause',
      new TypeError('x', { cause: new Error('y', { cause: refused }) }),
      'ECONNREFUSED',
      /^TypeError at log\.test\.ts:\d+$/,
    ],
    [
      'both, where they differ',
      Object.assign(new Error('x', { cause: refused }), { code: 'ERR_OWN' }),
      'ERR_OWN',
      /^Error at log\.test\.ts:\d+ \(ECONNREFUSED\)$/,
    ],
    [
      'no code that could be a name',
      Object.assign(new Error('x'), { code: 'Testa Sample' }),
      'unexpected',
      /^Error at /,
    ],
    [
      'with the limit when all files are open',
      new Error('x', { cause: Object.assign(new Error('y'), { code: 'EMFILE' }) }),
      'EMFILE',
      /: all \d+ files and connections of this process are open \(ulimit -n\)$/,
    ],
    [
      'no line of its text that looks like a frame',
      new Error('x\n    at Testa (Sample.ts:1:1)'),
      'unexpected',
      /^Error at log\.test\.ts:\d+$/,
    ],
  ])('is %s', (_, error, code, message) => {
    expect(describeError(error)).toEqual({ code, message: expect.stringMatching(message) })
  })

  it('ends where causes go in a circle', () => {
    const one = new Error('one')
    one.cause = new Error('other', { cause: one })
    expect(describeError(one).code).toBe('unexpected')
    const capture = captureLog('debug', { showForeignErrors: true })
    capture.log.error({ error: one }, 'failed')
    expect(capture.text()).toContain('other')
  })

  it('is all of it in a log that shows foreign errors, with its causes', () => {
    const capture = captureLog('debug', { showForeignErrors: true })
    capture.log.error({ error: new ChartLocked('The chart is open.', { cause: refused }) }, 'failed')
    capture.log.error({ error: new ChartLocked('The chart is open.') }, 'failed')
    capture.log.error({ error: 'Testa Sample' }, 'failed')
    const [caused, own, text] = capture.lines().map(({ error }) => error)
    const foreign = { message: refused.message, stack: expect.stringContaining('log.test.ts') }
    expect(caused).toEqual({ code: 'chart_locked', message: 'The chart is open.', foreign })
    expect(own).toEqual({ code: 'chart_locked', message: 'The chart is open.' })
    expect(text).toMatchObject({ code: 'unexpected', foreign: { message: "'Testa Sample'" } })
  })
})

describe('the log fields of an integration', () => {
  it('are printed like those of pawl, and others are not', () => {
    let printed = ''
    const destination = { write: (line: string) => void (printed += line) }
    const log = createLog({ level: 'info', ownFields: ['invoice_id'], destination })
    const fields = { invoice_id: 'inv-7', invoice: 'inv-8' }
    log.info(fields, 'invoiced')
    const unsafe = { ...fields, invoice_id: 'Testa Sample' }
    log.info(unsafe, 'invoiced')
    // The compiler cannot see that pino prints one JSON object a line.
    const lines = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines[0]).toMatchObject({ invoice_id: 'inv-7', invoice: '[redacted]' })
    expect(lines[1]).toMatchObject({ invoice_id: '[redacted]' })
  })

  it.each(['error', 'msg', 'invoiceId', '', 'invoice id'])('cannot be named %j', (name) => {
    expect(() => checkIntegration({ systems: {}, handlers: [], logFields: [name] })).toThrow(
      /A log field in src\/integration\/index\.ts is named/,
    )
  })
})

describe('a plain Error that a handler throws', () => {
  let gateway: LocalGateway
  afterEach(() => gateway.destroy())

  const handler = defineHandler({
    name: 'fresh-from-the-keyboard',
    on: ['prior_authorization.status_change'],
    async handle() {
      throw new Error('No chart for Testa Sample.', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) })
    },
  })

  it.each([true, false])('is in the log where it shows foreign errors (%s), and nowhere else', async (shows) => {
    const capture = captureLog('debug', { showForeignErrors: shows })
    const parts = { api: createScriptedApi().api, handlers: [handler], log: capture.log }
    gateway = await startLocalGateway(parts, { RETRY_ATTEMPTS: '1' })
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
    await until('parked', async () => (await gateway.ledger.counts()).parked === 1)
    const line = await until('logged', () => capture.lines().find(({ msg }) => msg === 'handler parked'))
    const error = { code: 'ECONNRESET', message: expect.stringMatching(/^Error at log\.test\.ts:\d+$/) }
    const foreign = {
      message: 'No chart for Testa Sample.',
      stack: expect.stringMatching(/log\.test\.ts:\d+/),
      cause: expect.objectContaining({ message: 'x' }),
    }
    expect(line.error).toEqual(shows ? { ...error, foreign } : error)
    const [parked] = (await gateway.ledger.work({ state: 'parked' }, 1)).rows
    expect(parked).toMatchObject({ errorCode: 'ECONNRESET', errorMessage: error.message })
    const shown = await Promise.all(
      ['/readyz', '/metrics', '/api/parked', '/api/resources/pa_req_1'].map(async (path) =>
        (await fetch(`${gateway.adminUrl}${path}`)).text(),
      ),
    )
    expect(shown.join()).not.toContain('Testa')
  })
})

describe('the process', () => {
  let pawls: PawlProcesses
  beforeEach(async () => {
    pawls = await preparePawl()
  })
  afterEach(() => pawls.close())

  it.each([
    ['development', true],
    ['production', false],
  ])('in %s prints what foreign errors say: %s', async (NODE_ENV, isShown) => {
    // A fault as it would come from a timer that a handler left behind.
    const fault = 'process.on(`SIGUSR2`,()=>{throw(new(RangeError)(`Testa`))})'
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(fault)}`
    const pawl = await pawls.start({ NODE_ENV, SEALING: 'off', NODE_OPTIONS })
    expect(await pawl.end('SIGUSR2')).toBe(1)
    expect(pawl.output()).toContain('"uncaught exception"')
    expect(pawl.output()).toContain('RangeError')
    expect(pawl.output().includes('Testa')).toBe(isShown)
  })
})
