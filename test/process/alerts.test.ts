import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { ownActor } from '../../src/ledger/audit/audit-entry.ts'
import { failWork } from '../alerts/park-work.ts'
import { openLedger, sealingKey } from '../ledger/filled-ledger.ts'
import { type Asked, startAnsweringServer } from '../support/answering-server.ts'
import { type PawlProcess, spawnPawl } from '../support/spawn-pawl.ts'
import { testEnvironment } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

it('a process that is killed between sending an alert and noting it leaves one message that comes twice, and none is lost', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-killed-'))
  open.push(() => rm(folder, { recursive: true }))
  const url = `file:${join(folder, 'pawl.db')}`
  const ledger = await openLedger(url)
  // As a process begins: work in a ledger without a trail would be an alert, too.
  await ledger.audit({ actor: ownActor, action: 'process.start' })
  for (const n of [1, 2]) await failWork(ledger, { id: `pa_req_${n}`, errorCode: `code_${n}`, isParked: true })
  await ledger.close()

  const asked: Asked[] = []
  let running: PawlProcess | undefined
  const hook = await startAnsweringServer((request) => {
    asked.push(request)
    if (asked.length > 1) return { status: 204, body: '' }
    // It was taken; whoever sent it never hears so.
    running?.child.kill('SIGKILL')
    return undefined
  })
  open.push(hook.close)
  const env = await testEnvironment({
    DATABASE_URL: url,
    SEALING_KEYS: sealingKey.toString('base64'),
    LOG_LEVEL: 'info',
    ALERT_URL: hook.url,
    ALERT_SECRET: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
    ALERT_INTERVAL_MS: '200',
  })
  running = spawnPawl(env)
  expect(await running.exited).toBe('SIGKILL')
  running = spawnPawl(env)
  open.push(() => running?.child.kill('SIGKILL'))
  await until('both were told of', () => asked.length === 3)
  const state = async () => {
    const reader = await openLedger(url)
    const [target] = await reader.alertTargets(['url'])
    await reader.close()
    return target
  }
  await until('that is noted', async () => (await state())?.waiting === 0)
  running.child.kill('SIGTERM')
  expect(await running.exited).toBe(0)
  const ids = asked.map(({ headers }) => headers['webhook-id'])
  expect(ids).toEqual([ids[0], ids[0], ids[2]])
  expect(asked.map(({ body }) => /code_\d/.exec(body)?.[0])).toEqual(['code_1', 'code_1', 'code_2'])
})
