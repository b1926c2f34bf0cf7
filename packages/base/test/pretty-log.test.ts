import { describe, expect, it } from 'vitest'
import { createLog } from '../src/log.ts'
import { createPrettyLog, type PrettyLog } from '../src/pretty-log.ts'

const plain = createPrettyLog({ isColoured: false })

/** Lines of pawl's own log as a terminal shows them, without their times. */
function shown(write: (log: ReturnType<typeof createLog>) => void, format = plain): (string | undefined)[] {
  const lines: string[] = []
  write(createLog({ level: 'debug', showForeignErrors: true, destination: { write: (line) => void lines.push(line) } }))
  return lines.map((line) => format(line)?.replace(/\d\d:\d\d:\d\d/, 'hh:mm:ss'))
}

const run = { resource_id: 'pa_req_1', handler: 'prior-authorization-to-ehr', event_id: 3, duration_ms: 12 }

const [pa, otherPa, bv] = ['pa_req_spuugaqhvoc957tmud2k', 'pa_req_0c1d8e3f6a4b7tmxud2k', 'bv_5m9q2m0v7c1d8e3f6a4b']
const approved = { status_before: 'awaiting_outcome', status: 'completed', outcome: 'approved', transfer: 'waiting' }

/** A raw line of the log, some seconds after the first. */
function lineAt(seconds: number, msg: string, fields: object): string {
  return JSON.stringify({ level: 'info', time: new Date(seconds * 1_000).toISOString(), ...fields, msg })
}

function runAt(seconds: number, id: string, handler: string, change: object, wrote?: string): string {
  const count = wrote === undefined ? 0 : wrote.split(',').length
  return lineAt(seconds, 'handled', { resource_id: id, handler, event_id: 3, ...change, count, wrote, duration_ms: 12 })
}

const failure = {
  resource_id: pa,
  handler: 'call-patient',
  attempt: 2,
  retry_in_ms: 4_200,
  error: {
    code: 'unexpected',
    message: 'TypeError at call-patient.ts:8',
    foreign: {
      message: 'no such thing',
      stack: `TypeError: no such thing
    at Object.handle (file:///checkout/pawl/src/integration/call-patient.ts:8:12)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
    at wrapped (/checkout/pawl/node_modules/a-package/index.js:1:1)
    at async callHandler (/checkout/pawl/src/work/call-handler.ts:40:3)`,
    },
  },
}

const session = [
  lineAt(0, 'pawl is running', { address: 'http://127.0.0.1:3001', count: 7 }),
  lineAt(1, 'delivery', { event_type: 'prior_authorization.status_change', resource_id: pa, status: 'stored' }),
  runAt(1, pa, 'messages-to-ehr', { status: 'created' }),
  runAt(1, pa, 'prior-authorization-to-ehr', { status: 'created' }, 'Task'),
  runAt(5, pa, 'prior-authorization-to-ehr', approved, 'Task,ClaimResponse,DocumentReference'),
  runAt(5, pa, 'messages-to-ehr', approved),
  runAt(5, pa, 'prescription-transfer-to-pharmacy', approved, 'prescription_transfer.updated'),
  lineAt(5, 'handler failed, will be retried', { ...failure, level: 'warn' }),
  runAt(
    6,
    bv,
    'benefit-verification-to-ehr',
    { status: 'completed' },
    'CoverageEligibilityResponse,DocumentReference,Task',
  ),
  runAt(7, otherPa, 'prior-authorization-to-ehr', { status: 'created' }, 'Task'),
  lineAt(8, 'told the team', { resource_id: pa, handler: 'call-patient', code: 'E66', trace_id: 'f'.repeat(32) }),
  lineAt(8, 'delivery', { event_type: 'prior_authorization.message', resource_id: pa, status: 'duplicate' }),
  'src/integration/call-patient.ts changed: the gateway restarts.',
  "src/integration/call-patient.ts:8:12  Property 'statu' does not exist on type 'PriorAuthorization'. Did you mean 'status'?",
]

function play(format: PrettyLog): string {
  const text = session.map((line) => format(line) ?? '').join('')
  return text.replaceAll(/^\[\d\d:\d\d:/gm, '[hh:mm:')
}

it('a session on a terminal reads as lines of pino-pretty, in words', () => {
  expect(play(createPrettyLog({ isColoured: false, root: '/checkout/pawl/' }))).toBe(`\
[hh:mm:00] INFO: pawl is running  address=http://127.0.0.1:3001  count=7
[hh:mm:01] INFO: ${pa}  webhook prior_authorization.status_change
[hh:mm:01] INFO: ${pa}  messages-to-ehr  → created
[hh:mm:01] INFO: ${pa}  prior-authorization-to-ehr  → created  wrote Task
[hh:mm:05] INFO: ${pa}  prior-authorization-to-ehr  awaiting_outcome → completed (approved)  transfer → waiting  wrote Task, ClaimResponse, DocumentReference
[hh:mm:05] INFO: ${pa}  prescription-transfer-to-pharmacy  awaiting_outcome → completed (approved)  transfer → waiting  wrote prescription_transfer.updated
[hh:mm:05] WARN: ${pa}  call-patient  handler failed, will be retried: unexpected TypeError at call-patient.ts:8 (attempt 2, again in 4.2 s)
      TypeError: no such thing
          at Object.handle (src/integration/call-patient.ts:8:12)
          at async callHandler (src/work/call-handler.ts:40:3)
[hh:mm:06] INFO: ${bv}  benefit-verification-to-ehr  → completed  wrote CoverageEligibilityResponse, DocumentReference, Task
[hh:mm:07] INFO: ${otherPa}  prior-authorization-to-ehr  → created  wrote Task
[hh:mm:08] INFO: ${pa}  call-patient  told the team  code=E66
[hh:mm:08] INFO: ${pa}  webhook prior_authorization.message, a copy: nothing to do
src/integration/call-patient.ts changed: the gateway restarts.
src/integration/call-patient.ts:8:12  Property 'statu' does not exist on type 'PriorAuthorization'. Did you mean 'status'?
`)
})

describe('a log for people', () => {
  it('says once that a case moved which no handler wrote of, and leaves out other runs that changed nothing', () => {
    const format = createPrettyLog({ isColoured: false })
    const moved = { status_before: 'created', status: 'processing' }
    const told = [
      runAt(1, pa, 'messages-to-ehr', moved),
      runAt(1, bv, 'benefit-verification-to-ehr', { status_before: 'pending', status: 'pending' }),
      runAt(2, pa, 'prior-authorization-to-ehr', moved),
      runAt(3, pa, 'messages-to-ehr', { status_before: 'processing', status: 'created' }),
      runAt(4, pa, 'messages-to-ehr', moved),
    ].map((line) => format(line)?.replace(/^.*ehr {2}/, ''))
    expect(told).toEqual([
      'created → processing\n',
      undefined,
      undefined,
      'processing → created\n',
      'created → processing\n',
    ])
  })

  it('says why a run failed, when it is tried again, and where it happened', () => {
    const error = new TypeError('no such thing')
    const [line] = shown((log) => {
      log.warn({ ...run, attempt: 2, retry_in_ms: 4_200, error }, 'handler failed, will be retried')
    })
    expect(line).toContain('handler failed, will be retried: unexpected TypeError at pretty-log.test.ts:')
    expect(line).toMatch(/\(attempt 2, again in 4\.2 s\)\n {6}TypeError: no such thing\n {10}at /)
  })

  it('shows what a handler logs with its fields', () => {
    const [line] = shown((log) => log.info({ ...run, code: 'E66' }, 'told the team'))
    expect(line).toMatch(/told the team {2}code=E66\n$/)
  })

  it('has colours only where they are wanted, and the same text otherwise', () => {
    const painted = play(createPrettyLog({ isColoured: true, root: '/checkout/pawl/' }))
    const bare = play(createPrettyLog({ isColoured: false, root: '/checkout/pawl/' }))
    expect(bare).not.toContain('\u001B')
    expect(painted).toContain('\u001B[33mWARN')
    // eslint-disable-next-line eslint/no-control-regex -- colours begin with a control character
    expect(painted.replaceAll(/\u001B\[\d+m/g, '')).toBe(bare)
  })

  it('leaves text alone that is no line of the log', () => {
    for (const text of ['npm warn', '{ "handled"', '{"a":1}', '']) expect(plain(text)).toBe(`${text}\n`)
  })
})
