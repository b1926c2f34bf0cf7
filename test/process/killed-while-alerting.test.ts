import { expect, it, onTestFinished } from 'vitest'
import { ownActor } from '../../packages/ledger/src/audit/audit-entry.ts'
import { failWork } from '../../packages/console/test/alerts/park-work.ts'
import { openLedger, sealingKey } from '../../packages/ledger/test/filled-ledger.ts'
import { startFarSide } from '../../packages/testing/src/far-side.ts'
import { preparePawl } from '../support/pawl-processes.ts'
import type { PawlProcess } from '../support/spawn-pawl.ts'
import { until } from '../support/until.ts'

it('a process killed between sending an alert and recording it repeats one message, and loses none', async () => {
  const pawls = await preparePawl({
    SEALING_KEYS: sealingKey.toString('base64'),
    ALERT_SECRET: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
    ALERT_INTERVAL_MS: '200',
  })
  onTestFinished(pawls.close)
  const ledger = await openLedger(pawls.databaseUrl)
  // As a process begins: work in a ledger without a trail would be an alert, too.
  await ledger.audit({ actor: ownActor, action: 'process.start' })
  for (const n of [1, 2]) await failWork(ledger, { id: `pa_req_${n}`, errorCode: `code_${n}`, isParked: true })
  await ledger.close()

  let running: PawlProcess | undefined
  const hook = await startFarSide(() => {
    if (hook.requests.length > 1) return { status: 204 }
    // It was taken; its sender never hears so.
    void running?.end('SIGKILL')
    return 'cut'
  })
  onTestFinished(hook.close)
  running = pawls.spawn({ ALERT_URL: hook.url })
  expect(await running.exited).toBe('SIGKILL')
  running = pawls.spawn({ ALERT_URL: hook.url })
  await until('both were told of', () => hook.requests.length === 2)
  const state = async () => {
    const reader = await openLedger(pawls.databaseUrl)
    const [target] = await reader.alertTargets(['url'])
    await reader.close()
    return target
  }
  await until('that is noted', async () => (await state())?.waiting === 0)
  expect(await running.end('SIGTERM')).toBe(0)
  const ids = hook.requests.map(({ headers }) => headers['webhook-id'])
  expect(ids).toEqual([ids[0], ids[0]])
  for (const { body } of hook.requests) expect(body).toMatch(/code_1.*code_2/s)
})
