import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openBodyStore } from '../../src/ledger/bodies/open-body-store.ts'
import { openLocalLedger } from '../../src/ledger/open-local-ledger.ts'
import { runCommand } from '../support/run-command.ts'
import { startS3, type TestS3 } from '../support/s3.ts'
import { startTestGateway, type TestGateway } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'

const [older, newer] = [randomBytes(32), randomBytes(32)]
const [hers, his] = ['KANARI-4711', 'NEIGHBOUR-0815']
const why = ['--reason', 'asked for']

let s3: TestS3
let folder: string
let gateway: TestGateway

beforeEach(async () => {
  s3 = await startS3()
  folder = await mkdtemp(join(tmpdir(), 'pawl-moved-'))
  const databaseUrl = `file:${join(folder, 'pawl.db')}`
  const clock = { now: () => Date.now() - 2 * 86_400_000 }
  const ledger = await openLocalLedger({ databaseUrl, sealingKeys: [older] }, { clock, onError() {} })
  for (const patient of [hers, his])
    await ledger.accept({
      resourceId: `pa_${patient}`,
      kind: 'prior_authorization',
      eventType: 'prior_authorization.status_change',
      eventKey: undefined,
      body: Buffer.from(JSON.stringify({ data: { patient: { internal_id: patient } } })),
      source: 'webhook',
    })
  await ledger.close()
  gateway = await startTestGateway(
    {},
    {
      DATABASE_URL: databaseUrl,
      HOLD: 'true',
      SEALING_KEYS: [newer, older].map((key) => key.toString('base64')).join(','),
      BODY_STORE: s3.url,
      BODY_STORE_KEY_ID: s3.settings.accessKeyId,
      BODY_STORE_SECRET: s3.settings.secretAccessKey,
    },
  )
  await until('the bodies are in the store', async () => (await keysInStore()).length === 2)
  await until('the ledger knows it', async () => (await gateway.ledger.moveBodies(0)).moved === 0)
})
afterEach(async () => {
  await gateway.close()
  await s3.close()
  await rm(folder, { recursive: true })
})

async function keysInStore(): Promise<string[]> {
  const store = await openBodyStore(s3.settings)
  const days = await store.days()
  return (await Promise.all(days.map(async (day) => (await store.list(day)).keys))).flat()
}

it('pawl purge finds a patient in the store of bodies, and deletes there', async () => {
  const printed = await runCommand(gateway.adminUrl, 'purge', '--patient', hers, ...why, '--json')
  expect(JSON.parse(printed)).toMatchObject({
    resources: [{ id: `pa_${hers}` }],
    removed: { bodies: 1 },
    bodies_left: 0,
  })
  expect(await keysInStore()).toHaveLength(1)
})

it('pawl purge says that it cannot look while the store is away, and erases nothing', async () => {
  await s3.stop()
  await expect(runCommand(gateway.adminUrl, 'purge', '--patient', hers, ...why)).rejects.toThrow(
    'The store of BODY_STORE cannot be used (ECONNREFUSED).',
  )
  await s3.start()
  expect(await gateway.ledger.bodies(`pa_${hers}`)).toHaveLength(1)
})

it('pawl keys rotate seals bodies in the store with the newest key', async () => {
  const rotate = async (...args: string[]): Promise<unknown> =>
    JSON.parse(await runCommand(gateway.adminUrl, 'keys', 'rotate', '--json', ...args))
  expect(await rotate()).toMatchObject({ resealed: 2, unreadable: 0 })
  expect(await rotate('--dry-run')).toMatchObject({ resealed: 0, unreadable: 0 })
  expect(await keysInStore()).toHaveLength(2)
})
