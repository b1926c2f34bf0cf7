import { expect, it } from 'vitest'
import { createClosers } from '../src/closers.ts'
import { captureLog } from '../../../test/support/log-capture.ts'

const stop = { crashed: false }

it('a stop closes the front at once, then the rest, the newest first, even if some fail', async () => {
  const { log, lines } = captureLog()
  const closers = createClosers(log)
  const closed: string[] = []
  closers.add(() => closed.push('ledger'))
  closers.add(() => Promise.reject(new Error('the queue is away')))
  closers.add(() => closed.push('breakers'))
  closers.addFront(async () => {
    await Promise.resolve()
    closed.push('worker')
  })
  closers.addFront(() => closed.push('server'))
  await closers.close(1_000, stop)
  expect(closed).toEqual(['server', 'worker', 'breakers', 'ledger'])
  expect(lines().map(({ msg }) => msg)).toEqual(['a part did not close'])
})

it('a stop leaves what never closes, says so, and goes on', async () => {
  const { log, lines } = captureLog()
  const closers = createClosers(log)
  let isLedgerClosed = false
  closers.add(() => (isLedgerClosed = true))
  closers.addFront(() => new Promise(() => {}))
  await closers.close(10, stop)
  expect(isLedgerClosed).toBe(true)
  expect(lines().map(({ msg }) => msg)).toEqual(['a part did not close in time'])
})

it('a stop tells the front how long it has and whether the process crashed', async () => {
  const closers = createClosers(captureLog().log)
  const told: unknown[] = []
  closers.addFront((graceMs, options) => told.push(graceMs, options))
  await closers.close(250, { crashed: true })
  expect(told).toEqual([250, { crashed: true }])
})
