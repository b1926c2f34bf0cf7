import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import tellPharmacy from '../../templates/prescription-transfer-to-pharmacy/handler.ts'
import { pharmacyFrom } from '../../packages/pharmacy/src/pharmacy-from.ts'
import { type FarSide, type FarSideAnswer, startFarSide } from '../../packages/testing/src/far-side.ts'
import { captureLog, type LogCapture } from '../support/log-capture.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { sampleTransfer } from '../support/samples.ts'
import { type LocalGateway, startLocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

const secret = `whsec_${Buffer.from('a secret of this test alone, no other').toString('base64')}`
const [near, far] = ['1111111', '2222222']

let nearby: FarSide
let remote: FarSide
let reply: FarSideAnswer
let log: LogCapture
let gateway: LocalGateway

beforeEach(async () => {
  reply = { status: 204 }
  nearby = await startFarSide(() => ({ status: 204 }))
  remote = await startFarSide(() => reply)
  log = captureLog()
})
afterEach(async () => {
  await gateway.destroy()
  await nearby.close()
  await remote.close()
})

/** A gateway with so few attempts that any failure which costs one parks its work. */
async function start(routes: Record<string, string>): Promise<void> {
  const service = createScriptedApi()
  const known = service.api.readSnapshot
  service.api.readSnapshot = async (kind: never, id: string, ...rest) => ({
    ...((await known(kind, id, ...rest)) as object),
    prescription_transfer: sampleTransfer({
      transfer_attempts: [{ timestamp: '2026-03-01T10:00:00Z', pharmacy_ncpdp_id: id.startsWith('near') ? near : far }],
    }),
  })
  const given = Object.entries(routes).map(([ncpdpId, url]) => [ncpdpId, { url, secret: [secret] }])
  const pharmacy = pharmacyFrom({ NODE_ENV: 'production', PHARMACY_ROUTES: Object.fromEntries(given) })
  gateway = await startLocalGateway(
    { log: log.log, api: service.api, handlers: [tellPharmacy], pharmacy },
    { RETRY_ATTEMPTS: '1', RETRY_BASE_MS: '1', RETRY_MAX_MS: '20', BREAKER_COOLDOWN_MS: '100' },
  )
}

const send = (id: string) => deliver(gateway.url, envelope({ id }))
const parked = async () => (await gateway.ledger.counts()).parked
const said = (msg: string) => log.lines().filter((line) => line.msg === msg)
const away = async () => {
  const answer = await fetch(`${gateway.adminUrl}/readyz`)
  return ((await answer.json()) as { away: { system: string; request?: string; error?: { message: string } }[] }).away
}

describe('one of several pharmacies', () => {
  it('that no connection reaches keeps a single transfer without an attempt, is named, and gets it once it is back', async () => {
    const port = Number(new URL(remote.url).port)
    await remote.close()
    await start({ [near]: nearby.url, [far]: remote.url })
    await send('far_1')
    await until('it is away', async () => (await away()).length > 0)
    for (let n = 0; n < 20; n += 1) await send(`near_${n}`)
    await until('the other has all', () => nearby.requests.length === 20)
    // What the other takes is no news of this one.
    expect(await away()).toMatchObject([
      {
        system: 'pharmacy',
        error: {
          reason: 'NCPDP id 2222222: no connection (ECONNREFUSED)',
          message: expect.stringMatching(/^The pharmacy of NCPDP id 2222222 .*: no connection \(ECONNREFUSED\)/),
        },
      },
    ])
    expect(said('a system is back')).toEqual([])
    expect(said('a system is away: its work waits')).toHaveLength(1)
    expect(await parked()).toBe(0)

    remote = await startFarSide(() => reply, port)
    await until('it has its own', () => remote.requests.length === 1)
    await until('it is back', async () => (await away()).length === 0)
    expect(said('a system is back')).toHaveLength(1)
  })

  it('that fails for many keeps no transfer of the others waiting', async () => {
    reply = { status: 503 }
    await start({ [near]: nearby.url, [far]: remote.url })
    await Promise.all(Array.from({ length: 6 }, (_, n) => send(`far_${n}`)))
    await until('it is away', async () => (await away()).length > 0)
    await Promise.all(Array.from({ length: 6 }, (_, n) => send(`near_${n}`)))
    await until('the other has all', () => nearby.requests.length === 6)
    expect(JSON.stringify(log.lines().filter((line) => String(line.resource_id).startsWith('near')))).not.toContain(
      'system_down',
    )
    reply = { status: 204 }
    await until('all are told', async () => (await gateway.ledger.counts()).due === 0)
    expect(await parked()).toBe(0)
  })

  it('that refuses many keeps no transfer of the others waiting', async () => {
    reply = { status: 404 }
    await start({ [near]: nearby.url, [far]: remote.url })
    await Promise.all(Array.from({ length: 6 }, (_, n) => send(`far_${n}`)))
    await until('it refuses', async () => (await away()).length > 0)
    expect(await away()).toMatchObject([{ system: 'pharmacy', request: 'POST to NCPDP id 2222222' }])
    await Promise.all(Array.from({ length: 6 }, (_, n) => send(`near_${n}`)))
    await until('the other has all', () => nearby.requests.length === 6)
    expect((await away()).length).toBe(1)
  })
})
