import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { examineRoom } from '../../../src/cli/doctor/examine-ledger.ts'
import { createReadDiskRoom, type DiskRoom, judgeRoom } from '../../ledger/src/upkeep/disk-room.ts'
import { Sqlite } from '../../base/src/sqlite.ts'
import { watchLogSize } from '../../ledger/src/upkeep/watch-log-size.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { runCommand } from '../../../test/support/run-command.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'

const mebibyte = 1024 * 1024
const rooms: Record<DiskRoom['state'], DiskRoom> = {
  enough: { freeBytes: 9_000 * mebibyte, state: 'enough' },
  low: { freeBytes: 300 * mebibyte, state: 'low' },
  full: { freeBytes: 41 * mebibyte, state: 'full' },
}

let gateway: LocalGateway
let room: DiskRoom
afterEach(() => gateway?.destroy())

async function start(settings: Record<string, string> = {}): Promise<void> {
  const parts = { api: createScriptedApi().api, handlers: [], readDiskRoom: () => Promise.resolve(room) }
  gateway = await startLocalGateway(parts, settings)
}

async function readyz(): Promise<{ code: number; status: unknown; disk: unknown }> {
  const response = await fetch(`${gateway.adminUrl}/readyz`)
  // As the admin listener answers.
  const { status, disk } = (await response.json()) as { status: unknown; disk: unknown }
  return { code: response.status, status, disk }
}
const status = () => runCommand(gateway.adminUrl, 'status')
const deliveryStatus = async () => (await deliver(gateway.url, envelope({ id: 'pa_req_1' }))).status

it('a disk that fills up shows at /readyz and in the status; pawl stays ready while it can store', async () => {
  room = rooms.enough
  await start()
  expect(await readyz()).toEqual({ code: 200, status: 'ready', disk: room })
  expect(await status()).not.toContain('disk')
  room = rooms.low
  expect(await readyz()).toEqual({ code: 200, status: 'ready', disk: room })
  expect(await status()).toMatch(/^The disk is nearly full/m)
  expect(await deliveryStatus()).toBe(202)
})

it('pawl is not ready while it turns deliveries away for a full disk, and ready again with room', async () => {
  room = rooms.full
  await start()
  await until('deliveries are turned away', async () => (await deliveryStatus()) === 503)
  expect(await readyz()).toMatchObject({ code: 503, status: 'disk_full', disk: { state: 'full' } })
  expect(await status()).toMatch(/^Deliveries have been turned away/m)
  expect(await runCommand(gateway.adminUrl, 'status')).toContain(
    `Make room in ${dirname(gateway.databasePath)}, sparing pawl.db*.`,
  )
  room = rooms.enough
  await until('deliveries are taken', async () => (await deliveryStatus()) === 202)
  expect(await readyz()).toMatchObject({ code: 200, status: 'ready' })
})

it('a reconcile after a full disk has room again still counts once the alert is over, and after a narrower one', async () => {
  room = rooms.full
  await start({ ALERT_INTERVAL_MS: '3000' })
  const alert = async () => (await gateway.ledger.openAlerts()).find(({ kind }) => kind === 'turned_away')
  await until('a delivery is turned away', async () => (await deliveryStatus()) === 503)
  await until('an alert is open', async () => (await alert())?.most === 1)
  for (let sent = 0; sent < 12; sent += 1) await deliveryStatus()
  room = rooms.enough
  await until('deliveries are taken', async () => (await deliveryStatus()) === 202)
  await runCommand(gateway.adminUrl, 'reconcile', '--since', '1h')
  expect(await status()).toMatch(/^New cases may be missing/m)
  await until('the alert is over', async () => (await alert()) === undefined)
  expect(await status()).toMatch(/^New cases may be missing/m)
  await runCommand(gateway.adminUrl, 'reconcile', '--since', new Date().toISOString())
  expect(await status()).toMatch(/^New cases may be missing/m)
  expect(await status()).not.toContain('The disk has room again')
})

it('a worker stays ready on a full disk, since it stores no deliveries', async () => {
  room = rooms.full
  await start({ ROLE: 'worker' })
  expect(await readyz()).toMatchObject({ code: 200, status: 'ready', disk: { state: 'full' } })
})

it('doctor reports a low and a full disk with the remedy', () => {
  expect(examineRoom(undefined)).toEqual([])
  expect(examineRoom(rooms.enough)).toEqual([])
  const todo = 'Delete old logs and backups, no file of the ledger, or use a larger disk.'
  expect(examineRoom(rooms.low)).toEqual([{ area: 'ledger', level: 'warn', says: 'Its disk has 300 MB left.', todo }])
  expect(examineRoom(rooms.full)).toMatchObject([{ level: 'fail', says: expect.stringContaining('41 MB') }])
})

it.each([
  [63, 1_000_000, 'full'],
  [64, 1_000_000, 'low'],
  [511, 1_000_000, 'low'],
  [512, 1_000_000, 'enough'],
  // A small disk.
  [127, 500, 'low'],
  [128, 500, 'enough'],
])('calls %i MB left of %i MB %s', (free, total, state) => {
  expect(judgeRoom({ freeBytes: free * mebibyte, totalBytes: total * mebibyte }).state).toBe(state)
})

it("free room is read from the disk of the ledger's file, and not on PostgreSQL", async () => {
  expect((await createReadDiskRoom(`file:${process.cwd()}/pawl.db`)?.())?.freeBytes).toBeGreaterThan(0)
  expect(await createReadDiskRoom('file:/no/such/folder/pawl.db')?.()).toBeUndefined()
  expect(createReadDiskRoom('postgres://127.0.0.1/pawl')).toBeUndefined()
})

it('a write-ahead log that a long read blocks shows with its size; pawl stays ready', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-'))
  const path = join(folder, 'pawl.db')
  // More than the 1,000 pages after which SQLite empties the log by itself.
  const readDiskRoom = createReadDiskRoom(`file:${path}`, 6 * mebibyte) ?? (() => Promise.resolve(undefined))
  const parts = { api: createScriptedApi().api, handlers: [], readDiskRoom }
  gateway = await startLocalGateway(parts, { DATABASE_URL: `file:${path}` })
  const capture = captureLog()
  const watch = watchLogSize({ readDiskRoom, log: capture.log, everyMs: 20 })
  const reader = new Sqlite(path, { readonly: true })
  const deliverSome = async () => {
    for (let count = 0; count < 50; count += 1) await deliveryStatus()
  }
  try {
    for (let round = 0; round < 12; round += 1) await deliverSome()
    expect(await readDiskRoom()).not.toHaveProperty('largeLogBytes')
    reader.exec('begin')
    reader.prepare('select count(*) from events').get()
    await until('the log is large', async () => {
      await deliverSome()
      return (await readDiskRoom())?.largeLogBytes !== undefined
    })
    expect(await readyz()).toMatchObject({
      code: 200,
      status: 'ready',
      disk: { largeLogBytes: expect.any(Number) as number },
    })
    expect(await status()).toMatch(/^A long read keeps the ledger's log from being emptied/m)
    expect(await runCommand(gateway.adminUrl, 'status')).toContain("End what reads the ledger's file.")
    await until('it is logged', () => capture.lines().length > 0)
    const warned = expect.objectContaining({ level: 'warn', bytes: expect.any(Number) as number }) as object
    expect(capture.lines()).toEqual([warned])
  } finally {
    await watch.close()
    reader.close()
    await gateway.destroy()
    await rm(folder, { recursive: true, force: true })
  }
})
