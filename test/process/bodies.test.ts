import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { openBodyStore } from '../../src/ledger/bodies/open-body-store.ts'
import { createLedger } from '../../src/ledger/create-ledger.ts'
import { createSeal } from '../../src/ledger/seal.ts'
import { openSqlite } from '../../src/ledger/sqlite/open-sqlite.ts'
import { type Relay, startRelay } from '../support/relay.ts'
import { startS3, type TestS3 } from '../support/s3.ts'
import { freePort, type PawlProcess, spawnPawl } from '../support/spawn-pawl.ts'
import { testEnvironment } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'

const count = 60
const key = randomBytes(32)
const twoDaysMs = 2 * 86_400_000
const bodyOf = (n: number) => JSON.stringify({ data: { id: `pa_req_${n}`, note: `KANARI-${n}` } })

let s3: TestS3
let relay: Relay
let pawl: PawlProcess | undefined
let env: Record<string, string>
let path: string
let adminPort: number

beforeEach(async () => {
  s3 = await startS3()
  relay = await startRelay(Number(new URL(s3.settings.endpoint).port))
  adminPort = await freePort()
  env = await testEnvironment({
    PORT: String(await freePort()),
    ADMIN_PORT: String(adminPort),
    LOG_LEVEL: 'info',
    // Polls would add events of their own.
    HOLD: 'true',
    SEALING_KEYS: key.toString('base64'),
    BODY_STORE: `s3://bodies/${s3.settings.prefix}?endpoint=http://127.0.0.1:${relay.port}`,
    BODY_STORE_KEY_ID: s3.settings.accessKeyId,
    BODY_STORE_SECRET: s3.settings.secretAccessKey,
  })
  path = env.DATABASE_URL?.slice('file:'.length) ?? ''
})
afterEach(async () => {
  pawl?.child.kill('SIGKILL')
  await pawl?.exited
  await relay.close()
  await s3.close()
  await rm(dirname(path), { recursive: true, force: true })
})

/** The ledger of two days ago, or, `asOfNow`, that of today. */
async function openLedger({ asOfNow }: { asOfNow: boolean }) {
  const clock = asOfNow ? systemClock : { now: () => Date.now() - twoDaysMs }
  const storage = await openSqlite(path, clock)
  const ledger = createLedger({
    storage,
    seal: createSeal([key]),
    bodyStore: await openBodyStore(s3.settings),
  })
  return { ledger, db: storage.db }
}

async function fill(): Promise<void> {
  const { ledger } = await openLedger({ asOfNow: false })
  for (let n = 0; n < count; n += 1)
    await ledger.accept({
      resourceId: `pa_req_${n}`,
      kind: 'prior_authorization',
      eventType: 'prior_authorization.status_change',
      eventKey: undefined,
      body: Buffer.from(bodyOf(n)),
      source: 'webhook',
    })
  await ledger.close()
}

async function keysInStore(): Promise<string[]> {
  const store = await openBodyStore(s3.settings)
  const days = await store.days()
  return (await Promise.all(days.map(async (day) => (await store.list(day)).keys))).flat()
}

async function inLedger(): Promise<number> {
  const { ledger, db } = await openLedger({ asOfNow: true })
  const rows = await db.selectFrom('events').select('body').execute()
  await ledger.close()
  return rows.filter(({ body }) => body.length > 0).length
}

it('killed after the store took bodies and before the ledger noted it, has lost none and moves them all', async () => {
  await fill()
  relay.fail('lost_answer')
  pawl = spawnPawl(env)
  await pawl.ready()
  await until('the store has some', async () => (await keysInStore()).length > 0)
  pawl.child.kill('SIGKILL')
  await pawl.exited
  expect(await inLedger()).toBe(count)

  relay.fail()
  pawl = spawnPawl(env)
  await pawl.ready()
  await pawl.prints('bodies moved to their store')
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()
  expect(metrics).toContain(`pawl_body_store_total{what="moved"} ${count}`)
  expect(pawl.output()).not.toContain(s3.settings.secretAccessKey)
  expect(pawl.output()).not.toContain('KANARI')
  pawl.child.kill('SIGTERM')
  await pawl.exited

  expect(await inLedger()).toBe(0)
  expect(await keysInStore()).toHaveLength(count)
  const { ledger } = await openLedger({ asOfNow: true })
  for (let n = 0; n < count; n += 1) {
    const [stored] = await ledger.bodies(`pa_req_${n}`)
    expect(Buffer.from(stored?.body ?? []).toString()).toBe(bodyOf(n))
  }
  await ledger.close()
})

it('takes deliveries, and says once that the store is away, while nobody answers there', async () => {
  await fill()
  await s3.stop()
  pawl = spawnPawl(env)
  await pawl.ready()
  await pawl.prints('the store of bodies cannot be used')
  const ready = await fetch(`http://127.0.0.1:${adminPort}/readyz`)
  expect(ready.status).toBe(200)
  expect(pawl.output()).toContain('body_store_away')
  pawl.child.kill('SIGTERM')
  expect(await pawl.exited).toBe(0)
  expect(await inLedger()).toBe(count)
})
