import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type DigestsDeps, startDigests } from '../../src/staff/start-digests.ts'
import type { Team } from '../../src/staff/team.ts'
import type { Ledger } from '../../../ledger/src/ledger.ts'
import { aDelivery } from '../../../ledger/test/a-delivery.ts'
import { execute, openLedger } from '../../../ledger/test/filled-ledger.ts'
import { act } from '../../../../test/support/act.ts'
import { captureLog, type LogCapture } from '../../../../test/support/log-capture.ts'
import { type MailServer, type MailServerOptions, startMailServer } from '../../../../test/support/mail-server.ts'
import { until } from '../../../../test/support/until.ts'

const links = { adminUrl: 'https://pawl.clinic.example/', caseUrl: 'https://clinic.example/cases/{id}' }
const appeals: Team = { name: 'Appeals', to: ['appeals@clinic.example'], takes: ['denied'] }
const records: Team = { name: 'Records', to: ['records@clinic.example', 'desk@clinic.example'], takes: ['file'] }

let url: string
let now: number
let ledger: Ledger
let log: LogCapture

/** Today at this time, in the zone of the process. */
const today = (hours: number, minutes = 0) => new Date(2026, 9, 14).setHours(hours, minutes)

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-staff-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  url = `file:${join(folder, 'pawl.db')}`
  now = today(6, 59)
  log = captureLog()
  ledger = await open()
})

async function open(): Promise<Ledger> {
  const opened = await openLedger(url, { now: () => now, elapsed: () => now })
  onTestFinished(opened.close)
  return opened
}

/** Lets a resource wait for people, with a file that the chart could not hold. */
async function wait(id: string, waitsFor: string | undefined, file?: string): Promise<void> {
  await ledger.accept(aDelivery({ resourceId: id, body: { id, patient: 'Testa Sample' } }))
  const claim = await ledger.claim(id, 60_000, {})
  if (claim === undefined) throw new Error(`${id} could not be claimed`)
  const { newestEventId: eventId } = claim
  const facts = { readAt: now, changes: [], identifiers: [], personWait: { waitsFor } }
  const text = JSON.stringify({ id, patient: 'Testa Sample' })
  const leftOut = file === undefined ? [] : [{ system: 'ehr', type: `file/${file}`, reason: 'too large' }]
  const run = { handler: 'h', startedAt: now, finishedAt: now, firstEventId: eventId, lastEventId: eventId, writes: [] }
  await ledger.release(claim, {
    notes: [
      { of: 'snapshot', text, eventId, terminal: false, pollInMs: undefined, facts },
      { of: 'success', run: { ...run, leftOut } },
    ],
    dueInMs: undefined,
    restMs: 0,
  })
}

async function mailServer(options?: MailServerOptions): Promise<MailServer> {
  const server = await startMailServer(options)
  onTestFinished(() => server.close())
  return server
}

/** The digests of a process, at 07:00, with a check every few milliseconds. */
async function start({ port }: { port: number }, teams: Team[], different: Partial<DigestsDeps> = {}): Promise<void> {
  const mail = { from: 'pawl@clinic.example', smtpUrl: `smtp://127.0.0.1:${port}` }
  const digests = await startDigests({
    ledger,
    staff: { teams, at: { hours: 7, minutes: 0 }, mail },
    links,
    clock: { now: () => now },
    log: log.log,
    everyMs: 5,
    ...different,
  })
  onTestFinished(digests.close)
}

/** A mail in lines, without the line breaks of its encoding. */
const linesOf = ({ text }: MailServer['mails'][number]) =>
  text.replaceAll('=\r\n', '').replaceAll('=3D', '=').split('\r\n')
const subjectsOf = ({ mails }: MailServer) =>
  mails.map((mail) =>
    linesOf(mail)
      .find((line) => line.startsWith('Subject: '))
      ?.slice('Subject: '.length),
  )
/** The time for which the mail to Appeals was last dealt with. */
const handledFor = async () =>
  Number((await execute(url, "select done_at from upkeep where task = 'digest Appeals'"))[0]?.done_at)

describe('the daily mail of what waits for staff', () => {
  it('tells each team of its own, with what is due, since when and links, and of no patient', async () => {
    await wait('pa_req_1', 'denied')
    await wait('pa_req_2', 'awaiting_review', 'fax_received/a1b2')
    const server = await mailServer()
    await start(server, [appeals, records])
    now = today(7)
    await until('both are mailed', () => server.mails.length === 2)
    expect(subjectsOf(server)).toEqual(['pawl: 1 waiting for Appeals', 'pawl: 1 waiting for Records'])
    const [first, second] = server.mails.map(linesOf)
    expect(first).toEqual(
      expect.arrayContaining([
        'To: appeals@clinic.example',
        '- Denied: send a corrected request, or appeal by a letter.',
        expect.stringMatching(/^ *pa_req_1, since 2026-10-14$/),
        expect.stringMatching(/^ *https:\/\/clinic\.example\/cases\/pa_req_1$/),
        expect.stringMatching(/^ *https:\/\/pawl\.clinic\.example\/resources\/pa_req_1$/),
        'The whole list: https://pawl.clinic.example/work-queue?team=Appeals',
      ]),
    )
    expect(second).toContain('To: records@clinic.example, desk@clinic.example')
    expect(second?.join('\n')).toContain('- Fax received that the chart could not hold: open it at the service,')
    expect(`${first?.join()} ${second?.join()} ${log.text()}`).not.toMatch(/Testa|Sample|a1b2/)
  })

  it('goes once a day, at its time, from one of several processes, and only if something waits', async () => {
    const server = await mailServer()
    const other = await open()
    for (const each of [ledger, other]) await start(server, [appeals], { ledger: each })
    now = today(7)
    await until('it is known that nothing waits', async () => (await handledFor()) === today(7))
    await wait('pa_req_1', 'denied')
    now = today(20)
    await start(server, [appeals])
    now = today(30, 59)
    await wait('pa_req_2', 'denied')
    expect(server.mails).toEqual([])
    now = today(31)
    await until('it is mailed the next day', () => server.mails.length > 0)
    await until('it is recorded', async () => (await handledFor()) === today(31))
    expect(subjectsOf(server)).toEqual(['pawl: 2 waiting for Appeals'])
  })

  it('is tried again where it fails, which the log says, and loses nothing', async () => {
    await wait('pa_req_1', 'denied')
    now = today(8)
    const server = await mailServer({ refusals: [451, 421, 550].map((code) => ({ at: 'data', code })) })
    await start(server, [appeals], { retryMs: 0 })
    await until('it is mailed', () => server.mails.length === 1)
    await until('it is recorded', async () => (await handledFor()) === today(7))
    expect(server.mails).toHaveLength(1)
    const lines = log.lines().filter(({ component }) => component === 'staff')
    expect(lines.map(({ level, code, attempt }) => [level, code, attempt])).toEqual([
      ['warn', 'smtp_451', 1],
      ['warn', 'smtp_421', 2],
      ['error', 'smtp_550', 3],
      ['info', undefined, undefined],
    ])
  })

  it('waits after a failure before it is tried again, in any process', async () => {
    await wait('pa_req_1', 'denied')
    now = today(8)
    const server = await mailServer({ refusals: [{ at: 'data', code: 451 }] })
    await start(server, [appeals], { retryMs: 60_000 })
    await until('it was refused', () => log.lines().some(({ code }) => code === 'smtp_451'))
    await start(server, [appeals], { retryMs: 60_000, ledger: await open() })
    expect(await ledger.takeTurn('digest Appeals', { dueAt: today(7), restMs: 60_000 })).toBe('resting')
    now += 60_000
    await until('it is mailed', () => server.mails.length === 1)
  })

  it('leaves out a file that a person saw to', async () => {
    await wait('pa_req_1', undefined, 'letter/a')
    await wait('pa_req_2', undefined, 'letter/b')
    expect(await ledger.endLeftOutFile({ id: 'pa_req_1', system: 'ehr', file: 'letter/a' }, act)).toBe(true)
    now = today(7)
    const server = await mailServer()
    await start(server, [records])
    await until('it is mailed', () => server.mails.length === 1)
    const text = server.mails[0]?.text
    expect(text).toContain('pa_req_2')
    expect(text).not.toContain('pa_req_1')
  })
})
