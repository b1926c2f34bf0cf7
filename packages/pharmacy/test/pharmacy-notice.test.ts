import { describe, expect, it } from 'vitest'
import { tellTransfer } from '../src/tell-transfer.ts'
import { TransferNotice } from '../src/transfer-notice.ts'
import { expectSchemaFile } from '../../../test/support/expect-schema-file.ts'
import { createTestRun } from '../../../test/support/run-context.ts'
import { samplePriorAuthorization, sampleTransfer } from '../../../test/support/samples.ts'

const firstSeenAt = '2026-03-01T10:05:00.000Z'

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
  it('is counted from 1, a state that comes back being a new one', async () => {
    const { tell, received } = createListener()
    await tell({ confirmed: false })
    await tell({ confirmed: true })
    await tell({ confirmed: false })
    expect(received.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
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
      [1, false],
      [2, true],
      [3, false],
    ])
  })

  it('starts at 1 after a ledger whose notices were not numbered', async () => {
    const { run, tell, received } = createListener()
    await run.memory.write('transfer_sent', { id: 'msg_old', digest: 'of an older notice' })
    await run.memory.write('transfer_taken', { id: 'msg_old' })
    await tell()
    await tell({ confirmed: true })
    expect(received.map(({ sequence }) => sequence)).toEqual([1, 2])
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
