import { describe, expect, it } from 'vitest'
import { tellTransfer } from '../src/tell-transfer.ts'
import { TransferNotice } from '../src/transfer-notice.ts'
import { expectSchemaFile } from '../../../test/support/expect-schema-file.ts'
import { createTestRun } from '../../../test/support/run-context.ts'
import { ranksOf } from '../../../test/support/ranks.ts'
import { samplePriorAuthorization, sampleTransfer } from '../../../test/support/samples.ts'

const firstSeenAt = '2026-03-01T10:05:00.000Z'
/** That of a first notice then. */
const numberNow = Date.parse(firstSeenAt) / 1_000

/** A pharmacy that lists what it is told, at times that a test sets, and answers only while it is up. */
function createListener() {
  const run = createTestRun()
  const received: TransferNotice[] = []
  const clock = { at: Date.parse(firstSeenAt), now: () => clock.at }
  const listener = {
    run,
    received,
    clock,
    isUp: true,
    tell: (transfer: Record<string, unknown> = {}) => {
      const pa = samplePriorAuthorization({ prescription_transfer: sampleTransfer(transfer) })
      const send = async (notice: TransferNotice) => {
        received.push(notice)
        if (!listener.isUp) throw new Error('down')
      }
      return tellTransfer(pa, run, { clock, send })
    },
  }
  return listener
}

describe('the place of a notice among those of its transfer', () => {
  it('rises, a state that comes back being a new one', async () => {
    const { tell, received } = createListener()
    await tell({ confirmed: false })
    await tell({ confirmed: true })
    await tell({ confirmed: false })
    expect(received.map(({ sequence }) => sequence)).toEqual([numberNow, numberNow + 1, numberNow + 2])
    expect(new Set(received.map(({ id }) => id)).size).toBe(3)
  })

  it('stays over retries of one state, whenever they come', async () => {
    const listener = createListener()
    listener.isUp = false
    await expect(listener.tell()).rejects.toThrow('down')
    listener.clock.at += 3_600_000
    listener.isUp = true
    await listener.tell()
    const [first, again, ...others] = listener.received
    expect(again).toEqual(first)
    expect(others).toEqual([])
  })

  it('counts a state that may not have arrived', async () => {
    const listener = createListener()
    await listener.tell({ confirmed: false })
    listener.isUp = false
    await expect(listener.tell({ confirmed: true })).rejects.toThrow('down')
    listener.isUp = true
    await listener.tell({ confirmed: false })
    expect(listener.received.map(({ sequence, data }) => [sequence, data.confirmed])).toEqual([
      [numberNow, false],
      [numberNow + 1, true],
      [numberNow + 2, false],
    ])
  })

  it.each(['restored from a backup', 'lost'])('rises on, with a new id, after a ledger was %s', async (how) => {
    const { run, clock, tell, received } = createListener()
    await tell({ status: 'in_progress' })
    const backup = [await run.memory.read('transfer_sent'), await run.memory.read('transfer_taken')]
    await tell({ status: 'error', error_code: 'other' })
    await tell({ status: 'in_progress' })
    const [sent, taken] = how === 'lost' ? [] : backup
    if (sent === undefined || taken === undefined) await run.memory.forget('transfer_sent')
    else await run.memory.write('transfer_sent', sent)
    if (taken === undefined) await run.memory.forget('transfer_taken')
    else await run.memory.write('transfer_taken', taken)
    clock.at += 60_000
    await tell({ status: 'completed' })
    const numbers = received.map(({ sequence }) => sequence)
    expect(ranksOf(numbers)).toEqual([1, 2, 3, 4])
    expect(new Set(received.map(({ id }) => id)).size).toBe(4)
  })

  it('rises with a clock that is set back', async () => {
    const { clock, tell, received } = createListener()
    await tell({ confirmed: false })
    clock.at -= 3_600_000
    await tell({ confirmed: true })
    expect(received.map(({ sequence }) => sequence)).toEqual([numberNow, numberNow + 1])
  })
})

describe('the time of a notice', () => {
  it('is that of the newest attempt where it is news', async () => {
    const { tell, received } = createListener()
    await tell()
    const confirmation_attempts = [{ timestamp: '2026-03-01T10:04:00Z', outcome: 'success' }]
    await tell({ confirmation_attempts, confirmed: true })
    expect(received.map(({ timestamp }) => timestamp)).toEqual(['2026-03-01T10:00:00.000Z', '2026-03-01T10:04:00.000Z'])
  })

  it('is that of the first look where a state has no attempt of its own', async () => {
    const { tell, received } = createListener()
    await tell()
    await tell({ status: 'error', error_code: 'other' })
    expect(received.at(-1)?.timestamp).toBe(firstSeenAt)
  })

  it.each([null, 'yesterday', '2126-03-01T10:00:00Z'])(
    'is that of the first look after an attempt at %j',
    async (at) => {
      const { tell, received } = createListener()
      await tell({ transfer_attempts: [{ timestamp: at, pharmacy_ncpdp_id: '7654321' }] })
      expect(received[0]?.timestamp).toBe(firstSeenAt)
    },
  )
})

it('a notice is described by the JSON Schema in the documentation; vitest -u brings that up to date', async () => {
  await expectSchemaFile(TransferNotice, 'prescription-transfer-notice.schema.json')
})
