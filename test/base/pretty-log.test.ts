import { describe, expect, it } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { createPrettyLog } from '../../src/base/pretty-log.ts'

const plain = createPrettyLog({ isColoured: false })

/** What a terminal shows of lines that pawl's own log printed, without their times. */
function shown(write: (log: ReturnType<typeof createLog>) => void, format = plain): (string | undefined)[] {
  const lines: string[] = []
  write(createLog({ level: 'debug', showForeignErrors: true, destination: { write: (line) => void lines.push(line) } }))
  return lines.map((line) => format(line)?.replace(/\d\d:\d\d:\d\d/, 'hh:mm:ss'))
}

const run = { resource_id: 'pa_req_1', handler: 'prior-authorization-to-ehr', event_id: 3, duration_ms: 12 }

describe('a log for people', () => {
  it('says of a run how the resource changed and what was written', () => {
    const change = { status_before: 'processing', status: 'completed', outcome: 'approved' }
    const lines = shown((log) => log.info({ ...run, ...change, count: 3, wrote: 'Task,ClaimResponse' }, 'handled'))
    const start = `hh:mm:ss  ${'pa_req_1'.padEnd(26)}  ${'prior-authorization-to-ehr'.padEnd(34)}`
    expect(lines).toEqual([`${start}  processing → completed (approved)  wrote Task, ClaimResponse\n`])
  })

  it('says a first status, one that stays, and a transfer', () => {
    const wrote = { count: 1, wrote: 'Task' }
    const [first, stays] = shown((log) => {
      log.info({ ...run, ...wrote, status: 'created' }, 'handled')
      const transfer = { transfer_before: 'in_progress', transfer: 'completed' }
      log.info({ ...run, ...wrote, status_before: 'completed', status: 'completed', ...transfer }, 'handled')
    })
    expect(first).toMatch(/ {2}→ created {2}wrote Task\n$/)
    expect(stays).toMatch(/ {2}completed {2}transfer in_progress → completed {2}wrote Task\n$/)
  })

  it('leaves out runs that changed nothing', () => {
    expect(shown((log) => log.info({ ...run, count: 0, status: 'created' }, 'handled'))).toEqual([undefined])
  })

  it('says why a run failed, when it is tried again, and where it happened', () => {
    const error = new TypeError('no such thing')
    const [line] = shown((log) => {
      log.warn({ ...run, attempt: 2, retry_in_ms: 4_200, error }, 'handler failed, will be retried')
    })
    expect(line).toContain('handler failed, will be retried: unexpected TypeError at pretty-log.test.ts:')
    expect(line).toMatch(/\(attempt 2, again in 4\.2 s\)\n {2}TypeError: no such thing\n {6}at /)
  })

  it('shows what a handler logs with its fields', () => {
    const [line] = shown((log) => log.info({ ...run, code: 'E66' }, 'told the team'))
    expect(line).toMatch(/told the team {2}code=E66\n$/)
  })

  it('paints codes of errors red, where colours are wanted', () => {
    const coloured = createPrettyLog({ isColoured: true })
    const [line] = shown((log) => log.error({ ...run, error: new TypeError('x') }, 'handler parked'), coloured)
    expect(line).toContain('\u001B[31munexpected')
  })

  it('leaves text alone that is no line of the log', () => {
    for (const text of ['npm warn', '{ "handled"', '']) expect(plain(text)).toBe(`${text}\n`)
  })
})
