import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Hl7EhrOptions } from '../../src/hl7/hl7-ehr.ts'
import { EhrWriteFailed } from '../../src/ehr-write-failed.ts'
import { PatientNotFound } from '../../src/patient-not-found.ts'
import { PawlError } from '../../../base/src/errors.ts'
import type { Ehr } from '../../src/ehr.ts'
import type { System } from '../../../connector/src/system.ts'
import {
  acknowledgementOf,
  type Answer,
  type Hl7Listener,
  startHl7Listener,
} from '../../../../test/support/hl7-listener.ts'
import { createTestRun, type TestRun } from '../../../../test/support/run-context.ts'
import { samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { until } from '../../../../test/support/until.ts'
import { mdm, openHl7 } from './open-hl7.ts'
import { readByMedplum } from './read-mdm.ts'

let listener: Hl7Listener
let opened: System<Ehr>[]
let run: TestRun
beforeEach(async () => {
  opened = []
  run = createTestRun()
  listener = await startHl7Listener()
})
afterEach(async () => {
  for (const system of opened) await system.close?.()
  await listener.close()
})

function open(different: Partial<Hl7EhrOptions> = {}, port = listener.port): System<Ehr> {
  const system = openHl7(port, different)
  opened.push(system)
  return system
}

const pa = (status = 'processing', id = 'pa_req_1') => samplePriorAuthorization({ id, status })

const failure = (work: Promise<void>) =>
  work.then(
    () => expect.unreachable('it was taken'),
    (error: unknown) => {
      if (error instanceof PawlError) return error
      throw error
    },
  )

const idsOf = (message: Hl7Listener['received'][number] | undefined) => ({
  event: message?.header.getComponent(9, 2),
  control: message?.header.getComponent(10, 1),
  number: message?.getSegment('TXA')?.getComponent(12, 1),
  parent: message?.getSegment('TXA')?.getComponent(13, 1),
})

const statuses = () => listener.documents().map(({ status }) => status)

const block = (text: string) => `\u000B${text}\u001C\r`

describe('a document by HL7 v2', () => {
  it('is new as T02, replaced as T10 under a number of its own, and called off as T11', async () => {
    const ehr = open().open(run)
    const task = { title: 'Call the payer', reason: 'no_answer' }
    await ehr.openStaffTask(pa(), task)
    await ehr.openStaffTask(pa(), { ...task, instructions: 'Ask for the form.' })
    await ehr.closeStaffTask(pa(), 'completed')
    await ehr.closeStaffTask(pa(), 'completed')
    await ehr.openStaffTask(pa(), task)
    const [first, second, third, fourth, ...others] = listener.received.map(idsOf)
    expect(others).toEqual([])
    expect([first, second, third, fourth].map((each) => each?.event)).toEqual(['T02', 'T10', 'T11', 'T02'])
    expect(second?.parent).toBe(first?.number)
    expect(third?.number).toBe(second?.number)
    expect(fourth?.parent ?? '').toBe('')
    expect(new Set(listener.received.map((each) => idsOf(each).control)).size).toBe(4)
    const read = listener.received.map(String).map(readByMedplum)
    expect(read.map(({ structure, availability, values }) => [structure, availability, values.length > 0])).toEqual([
      ['MDM_T02', 'AV', true],
      ['MDM_T02', 'AV', true],
      ['MDM_T01', 'CA', false],
      ['MDM_T02', 'AV', true],
    ])
    expect(statuses()).toEqual(['obsolete', 'cancelled', 'available'])
    expect(run.receipts).toEqual([
      { type: 'MDM^T02', id: first?.number, version: '1' },
      { type: 'MDM^T10', id: second?.number, version: '2' },
      { type: 'MDM^T11', id: second?.number, version: '3' },
      { type: 'MDM^T02', id: fourth?.number, version: '4' },
    ])
  })

  it('about another patient than before is new there, and replaces nothing', async () => {
    const ehr = open().open(run)
    await ehr.putPriorAuthorization(pa())
    const other = samplePriorAuthorization({ status: 'processing', patient: { ...pa().patient, internal_id: 'other' } })
    await ehr.putPriorAuthorization(other)
    expect(listener.documents().map(({ patientNumber, status }) => [patientNumber, status])).toEqual([
      [pa().patient?.internal_id, 'available'],
      ['other', 'available'],
    ])
  })

  it('of a patient without a number parks, and nothing is sent', async () => {
    const error = await failure(
      open()
        .open(run)
        .putPriorAuthorization(samplePriorAuthorization({ patient: {} })),
    )
    expect(error).toBeInstanceOf(PatientNotFound)
    expect(error.message).toContain('HL7_PATIENT_FIELD')
    expect(listener.received).toEqual([])
  })

  it('is sent over one connection, which is kept', async () => {
    const system = open()
    const ids = ['pa_req_1', 'pa_req_2', 'pa_req_3', 'pa_req_4']
    await Promise.all(
      ids.map((resourceId) =>
        system.open(createTestRun({ resourceId })).putPriorAuthorization(pa('created', resourceId)),
      ),
    )
    await system.open(run).putPriorAuthorization(pa('processing'))
    expect(listener.opened()).toBe(1)
    expect(listener.connections()).toBe(1)
    expect(listener.received).toHaveLength(5)
  })

  it('finds a new connection where the listener ended an idle one', async () => {
    const system = open()
    await system.open(run).putPriorAuthorization(pa())
    listener.dropConnections()
    await until('the connection is gone', () => listener.connections() === 0)
    await sleep(50)
    await system.open(run).putPriorAuthorization(pa('awaiting_outcome'))
    expect(listener.opened()).toBe(2)
    expect(statuses()).toEqual(['obsolete', 'available'])
  })
})

describe('no answer to a message of HL7 v2', () => {
  const silent = { retry: 'backoff', isOutage: true, costsAttempt: true, code: 'ehr_write_failed' }

  it('is waited for so long, and the message repeated with its ids, also by another process', async () => {
    listener.answer(() => 'nothing', { isStored: true })
    const error = await failure(open({ timeoutMs: 200 }).open(run).putPriorAuthorization(pa()))
    expect(error).toMatchObject(silent)
    expect(error.message).toContain('no answer within 200 ms')
    listener.answer()
    await sleep(1_100)
    await open().open(run).putPriorAuthorization(pa())
    const [first, second] = listener.received.map(String)
    expect(second).toBe(first)
    expect(statuses()).toEqual(['available'])
  })

  it('followed by other content ends with the newest alone, if the lost message arrived', async () => {
    await open().open(run).putPriorAuthorization(pa())
    listener.answer(() => 'nothing', { isStored: true })
    await failure(open({ timeoutMs: 100 }).open(run).putPriorAuthorization(pa('awaiting_outcome')))
    listener.answer()
    await open().open(run).putPriorAuthorization(pa('completed'))
    expect(statuses()).toEqual(['obsolete', 'obsolete', 'available'])
  })

  it('followed by other content ends with the newest alone, if the lost message never arrived', async () => {
    await open().open(run).putPriorAuthorization(pa())
    listener.answer(() => 'nothing')
    await failure(open({ timeoutMs: 100 }).open(run).putPriorAuthorization(pa('awaiting_outcome')))
    listener.answer()
    await open().open(run).putPriorAuthorization(pa('completed'))
    expect(statuses()).toEqual(['obsolete', 'obsolete', 'available'])
    expect(listener.documents().at(-1)?.message.toString()).toContain('Completed')
  })

  it('that comes too late is taken for no other message', async () => {
    listener.answer(() => ({ code: 'AA' }), { afterMs: 300 })
    const system = open({ timeoutMs: 100 })
    await failure(system.open(run).putPriorAuthorization(pa()))
    const error = await failure(
      system.open(createTestRun({ resourceId: 'pa_req_2' })).putPriorAuthorization(pa('processing', 'pa_req_2')),
    )
    expect(error).toMatchObject(silent)
  })
})

describe('a connection of HL7 v2 that is cut', () => {
  it('in the middle of a message leaves no half of it, and the retry is the same message', async () => {
    const long = samplePriorAuthorization({
      status: 'processing',
      prescription: { directions: 'Take one. '.repeat(5_000) },
    })
    let cutAfter = 1
    const near = new Set<Socket>()
    const relay = createServer((socket) => {
      near.add(socket.on('error', () => {}))
      const far = connect(listener.port, '127.0.0.1').on('error', () => {})
      let seen = 0
      socket.on('data', (bytes) => {
        const rest = Math.max(0, cutAfter - seen)
        seen += bytes.length
        far.write(bytes.subarray(0, rest), () => {
          if (seen > cutAfter) socket.destroy()
        })
      })
      far.pipe(socket)
      socket.on('close', () => far.destroy())
    })
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
    // A server that listens on a port has an address object; the type also knows pipes.
    const { port } = relay.address() as AddressInfo
    for (const bytes of [1, 200, 5_000, 50_000]) {
      cutAfter = bytes
      const error = await failure(open({}, port).open(run).putPriorAuthorization(long))
      expect(error).toMatchObject({ retry: 'backoff', isOutage: true })
    }
    expect(statuses()).toEqual([])
    cutAfter = Infinity
    await open({}, port).open(run).putPriorAuthorization(long)
    expect(statuses()).toEqual(['available'])
    expect(run.receipts.map(({ version }) => version)).toEqual(['1'])
    for (const socket of near) socket.destroy()
    relay.close()
  })
})

/** A listener of a test's own on this machine. */
async function listen(serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    // A server that listens on a port has an address object; the type also knows pipes.
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

describe('an acknowledgement of HL7 v2', () => {
  const put = (different: Partial<Hl7EhrOptions> = {}) => open(different).open(run).putPriorAuthorization(pa())

  it.each(['AA', 'CA', 'aa'])('%s ends it', async (code) => {
    listener.answer(() => ({ code }))
    await put()
    expect(run.receipts).toHaveLength(1)
  })

  it('for another control id, or none, counts for nothing', async () => {
    for (const id of ['OTHER', '']) {
      listener.answer((message) => ({ raw: block(acknowledgementOf(message, { code: 'AA' }, id)) }))
      expect(await failure(put({ timeoutMs: 150 }))).toMatchObject({ isOutage: true, retry: 'backoff' })
    }
    expect(run.receipts).toEqual([])
  })

  it.each<[name: string, raw: (own: string, other: string) => string]>([
    ['behind another one in a block', (own, other) => block(`${other}${own}`)],
    ['in the second block of one piece', (own, other) => `${block(other)}${block(own)}`],
    ['behind bytes that belong to nothing', (own) => `noise\r${block('\u0006')}${block('no HL7 at all')}${block(own)}`],
    ['in a block without its last CR', (own) => `\u000B${own}\u001C`],
    ['with line feeds after its segments', (own) => block(own.replaceAll('\r', '\r\n'))],
  ])('is found %s', async (_, raw) => {
    listener.answer((message) => {
      const [own, other] = [undefined, 'OTHER'].map((id) => acknowledgementOf(message, { code: 'AA' }, id))
      return { raw: raw(own ?? '', other ?? '') }
    })
    await put({ timeoutMs: 2_000 })
    expect(run.receipts).toHaveLength(1)
  })

  it('is found although its bytes come one by one, over a connection that is kept', async () => {
    let opened = 0
    const { port, close } = await listen((socket) => {
      opened += 1
      const drip = async (bytes: Buffer) => {
        const controlId = bytes.toString().split('|')[9] ?? ''
        for (const character of block(`MSH|^~\\&|EHR||PAWL||20260131||ACK|1|P|2.5.1\rMSA|AA|${controlId}\r`)) {
          socket.write(character)
          await sleep(1)
        }
      }
      socket.on('data', (bytes: Buffer) => void drip(bytes))
    })
    const system = open({}, port)
    await system.open(run).putPriorAuthorization(pa())
    await sleep(50)
    await system.open(run).putPriorAuthorization(pa('awaiting_outcome'))
    await system.close?.()
    close()
    expect([run.receipts.length, opened]).toEqual([2, 1])
  })

  it('that refuses beside one that accepts is a refusal', async () => {
    listener.answer((message) => {
      const [commit, application] = ['CA', 'AE'].map((code) => acknowledgementOf(message, { code }))
      return { raw: block(`${commit}${application}`) }
    })
    expect(await failure(put())).toMatchObject({ retry: 'never' })
  })

  const refusals: [answer: Answer, verdict: object, says: string][] = [
    [{ code: 'AE' }, { retry: 'never', mayBeOutage: true, isOutage: false }, 'AE.'],
    [{ code: 'AR' }, { retry: 'backoff', isOutage: true }, 'AR.'],
    [{ code: 'CE' }, { retry: 'backoff', isOutage: true }, 'CE.'],
    [{ code: 'CR' }, { retry: 'never', mayBeOutage: true, isOutage: false }, 'CR.'],
    [
      { code: 'AE', more: ['ERR||TXA^1^2|103^no such type^HL70357|E||||Testa Sample'] },
      { retry: 'never', mayBeOutage: false, isOutage: false },
      'AE at TXA-2 (103, table value not found)',
    ],
    [
      { code: 'AR', more: ['ERR||MSH^1^12|203^version^HL70357|E'] },
      { retry: 'never', mayBeOutage: true },
      'AR at MSH-12 (203, unsupported version id)',
    ],
    [
      { code: 'AE', more: ['ERR|||206^locked^HL70357|E'] },
      { retry: 'backoff', isOutage: false },
      '(206, application record locked)',
    ],
    [
      { code: 'AE', more: ['ERR|||207^broken^HL70357|E'] },
      { retry: 'backoff', isOutage: true },
      '(207, application internal error)',
    ],
    // HL7 v2.3.1 has place and code in ERR-1.
    [
      { code: 'AE', more: ['ERR|PID^1^5^101&missing&HL70357'] },
      { retry: 'never' },
      'AE at PID-5 (101, required field missing)',
    ],
    // A place that pawl did not send may be a name.
    [{ code: 'AE', more: ['ERR||TESTA^1^5|9999^Testa^L|E'] }, { retry: 'never' }, 'AE.'],
  ]
  it.each(refusals)('%j is judged by its code', async (answer, verdict, says) => {
    listener.answer(() => answer)
    const error = await failure(put())
    expect(error).toBeInstanceOf(EhrWriteFailed)
    expect(error).toMatchObject(verdict)
    expect(error.message).toContain(says)
    expect(error.message).toContain('MDM^T02 of pa_req_1')
    expect(error.message).not.toMatch(/Testa|Sample/)
    expect(run.receipts).toEqual([])
  })

  it('that knows no such patient parks until the patient is entered there', async () => {
    listener.answer(() => ({ code: 'AE', more: ['ERR||PID^1^3|204^Unknown key identifier^HL70357|E'] }))
    const error = await failure(put())
    expect(error).toBeInstanceOf(PatientNotFound)
    expect(error).toMatchObject({ retry: 'never', parkedAgainMs: 86_400_000 })
  })

  it('is asked for in MSH-15 in the enhanced mode alone', async () => {
    await put()
    await put({ mdm: { ...mdm, isEnhanced: true } })
    await open({ mdm: { ...mdm, isEnhanced: true } })
      .open(createTestRun({ resourceId: 'pa_req_2' }))
      .putPriorAuthorization(pa('processing', 'pa_req_2'))
    const modes = listener.received.map(({ header }) => [header.getComponent(15, 1), header.getComponent(16, 1)])
    expect(modes).toEqual([
      ['', ''],
      ['AL', 'NE'],
    ])
  })
})

describe('a run that writes by HL7 v2', () => {
  it('that lost its claim while it waited for its turn sends nothing', async () => {
    listener.answer(() => ({ code: 'AA' }), { afterMs: 200 })
    const system = open()
    const lost = new Error('the claim was lost')
    let isLost = false
    const losing = createTestRun({
      resourceId: 'pa_req_2',
      assertMayAct() {
        if (isLost) throw lost
      },
    })
    const first = system.open(run).putPriorAuthorization(pa())
    const second = system.open(losing).putPriorAuthorization(pa('processing', 'pa_req_2'))
    await until('the first is on its way', () => listener.received.length === 1)
    isLost = true
    expect(await Promise.allSettled([first, second])).toMatchObject([{ status: 'fulfilled' }, { reason: lost }])
    expect(listener.received).toHaveLength(1)
  })
})
