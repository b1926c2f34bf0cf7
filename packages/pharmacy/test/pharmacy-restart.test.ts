import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TransferNotice } from '../src/transfer-notice.ts'
import { type FarSide, startFarSide } from '../../testing/src/far-side.ts'
import { samplePriorAuthorization, sampleTransfer } from '../../../test/support/samples.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'

let folder: string
let pharmacy: FarSide
let received: string[]
let status: number

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-'))
  received = []
  status = 204
  pharmacy = await startFarSide(({ body }) => {
    received.push(body)
    return { status, body: '' }
  })
})
afterEach(async () => {
  await pharmacy.close()
  await rm(folder, { recursive: true, force: true })
})

it('a process that starts again tells a state as the one before it did, and counts on', async () => {
  const service = createScriptedApi()
  const start = () =>
    startLocalGateway(
      { api: service.api },
      {
        DATABASE_URL: `file:${join(folder, 'pawl.db')}`,
        PHARMACY_URL: pharmacy.url,
        PHARMACY_SECRET: Buffer.alloc(24, 7).toString('base64'),
        RETRY_ATTEMPTS: '1000',
      },
    )
  const change = (confirmed: boolean) => {
    const pa = samplePriorAuthorization({ status: 'completed', prescription_transfer: sampleTransfer({ confirmed }) })
    service.set(pa)
    return envelope(pa, 'prior_authorization.prescription_transfer_change')
  }
  const first = await start()
  try {
    await deliver(first.url, change(false))
    await until('the first state', () => received.length === 1)
    status = 503
    await deliver(first.url, change(true))
    await until('the second state', () => received.length > 1)
  } finally {
    await first.destroy()
  }
  const refused = received.at(-1)
  received = []
  status = 204
  const second = await start()
  try {
    await until('the second state again', () => received.length > 0)
    expect(received[0]).toBe(refused)
    await deliver(second.url, change(false))
    await until('the first state once more', () => received.length > 1)
  } finally {
    await second.destroy()
  }
  const notices = received.map((body) => TransferNotice.parse(JSON.parse(body)))
  expect(notices.map(({ sequence, data }) => [sequence, data.confirmed])).toEqual([
    [2, true],
    [3, false],
  ])
})
