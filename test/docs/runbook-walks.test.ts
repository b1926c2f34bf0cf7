import { randomBytes } from 'node:crypto'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import type { AuditAction } from '../../packages/ledger/src/audit/audit-entry.ts'
import { judgeRoom } from '../../packages/ledger/src/upkeep/disk-room.ts'
import { patient } from '../../packages/sandbox/src/sample-requests.ts'
import { shippedHandlers } from '../../templates/index.ts'
import priorAuthorizationToEhr from '../../templates/prior-authorization-to-ehr/handler.ts'
import { deliver, envelope, webhookSecret } from '../support/webhook.ts'
import { type RunbookWorld, soon, startRunbookWorld } from './runbook-world.ts'

// A walk waits several times, and runs a dozen commands: longer than other tests where the machine is busy.
vi.setConfig({ testTimeout: 900_000 })

// Each walk has a pawl of its own, and is judged by what stays: the ledger, its audit trail, the chart.
let world: RunbookWorld
afterEach(() => world.close())

/** Acts of people in the audit trail. */
async function done(action: AuditAction) {
  return (await world.gateway.ledger.readAudit({ action }, 100)).filter(({ actor }) => actor.via === 'admin')
}

/** The handlers of these resources that are not in sync with them. */
async function behind(ids: readonly string[]): Promise<string[]> {
  const known = await Promise.all(ids.map(world.known))
  return known
    .flatMap((each) => each?.progress.filter(({ state }) => state !== 'synced') ?? [])
    .map(({ handler }) => handler)
}

it('a chart that was down is written to once it is back, and nothing was parked', async () => {
  world = await startRunbookWorld()
  world.chart.setDown(true)
  const ids = await world.create(3)
  await soon('all are known', async () => (await Promise.all(ids.map(world.known))).every(Boolean))
  const told = await world.play('The chart is down', {
    fails: 'pawl check',
    before: {
      async 'pawl resume ehr'() {
        const { rows } = await world.gateway.ledger.work({ state: 'waiting' }, 100)
        expect(rows.length).toBeGreaterThan(0)
        expect(rows.filter(({ attempts }) => attempts > 0)).toEqual([])
        expect((await world.gateway.ledger.work({ state: 'failing' }, 100)).rows).toEqual([])
        world.chart.setDown(false)
      },
      'pawl parked': () => world.atRest(ids),
    },
  })
  expect(told('pawl check')).toMatch(/^ehr +FAIL/m)
  expect(told('pawl parked')).toContain('Nothing is parked.')
  expect(await behind(ids)).toEqual([])
  expect((await world.pawl('pawl check')).output).toMatch(/^ehr +ok/m)
  expect(await done('work.pause')).toMatchObject([{ reason: 'the chart is down until 04:00' }])
  expect(await done('work.resume')).not.toEqual([])
  expect(await world.gateway.ledger.pauses()).toEqual([])
})

it('webhooks under a new secret are taken once it is set, and what was refused is asked for', async () => {
  world = await startRunbookWorld()
  const secret = randomBytes(32).toString('hex')
  world.signWith(secret)
  const [refused = ''] = await world.create(1)
  await soon(
    'it is refused',
    async () => (await world.gateway.ledger.listRejections({ reason: 'token_invalid' }, 1)).length === 1,
  )
  expect(await world.known(refused)).toBeUndefined()
  let later = ''
  const told = await world.play('The webhook secret was changed', {
    id: refused,
    before: {
      'systemctl restart': () => (world.env.WEBHOOK_SECRETS = `${secret},${webhookSecret}`),
      async 'pawl events list'() {
        ;[later = ''] = await world.create(1)
        await soon('a webhook is taken', () => world.known(later))
      },
    },
  })
  expect(told('pawl events list')).toContain(later)
  await world.atRest([refused, later])
  expect(await done('resource.reconcile')).not.toEqual([])
})

it('work that a bug parked is retried, a few first, once the bug is gone', async () => {
  let isBroken = true
  const withBug: typeof priorAuthorizationToEhr = {
    ...priorAuthorizationToEhr,
    async handle(context) {
      if (isBroken) throw new TypeError('a bug')
      await priorAuthorizationToEhr.handle(context)
    },
  }
  const handlers = shippedHandlers.map((handler) => (handler.name === withBug.name ? withBug : handler))
  world = await startRunbookWorld({ parts: { handlers }, settings: { RETRY_ATTEMPTS: '2' } })
  const ids = await world.create(20)
  await world.atRest(ids)
  expect(await world.gateway.ledger.counts()).toMatchObject({ parked: ids.length })
  const unknown = 'pa_req_unknown'
  const told = await world.play("A handler's bug parked work", {
    id: (line) => (line.startsWith('pawl discard') ? unknown : (ids[0] ?? '')),
    before: {
      'systemctl restart': () => (isBroken = false),
      'pawl show': () => world.atRest(ids),
      async 'pawl discard'() {
        expect(await world.gateway.ledger.counts()).toMatchObject({ parked: 0, due: 0 })
        await deliver(world.gateway.url, envelope({ id: unknown }))
        await soon('what the service does not know is parked', async () => {
          const { due, parked } = await world.gateway.ledger.counts()
          return due === 0 && parked > 0
        })
      },
    },
  })
  expect(told(`pawl retry --handler ${withBug.name} --error unexpected --limit`)).toContain(
    'Due again: 10 pieces of work, 10 left.',
  )
  expect(told('pawl show')).toMatch(/run +prior-authorization-to-ehr +succeeded/)
  expect(await behind(ids)).toEqual([])
  expect(await world.gateway.ledger.counts()).toMatchObject({ parked: 0 })
  const discarded = await done('work.discard')
  expect(discarded.map(({ handler }) => handler)).toContain(withBug.name)
  for (const entry of discarded)
    expect(entry).toMatchObject({ resourceId: unknown, reason: 'the service does not know it' })
})

it('a patient is erased, and then the ledger holds nothing of him', async () => {
  world = await startRunbookWorld()
  const internalId = 'patient-2'
  await world.chart.admit({ ...patient, internal_id: internalId })
  const [id = ''] = await world.create(1, internalId)
  await world.atRest([id])
  // The service has stopped.
  world.sandbox.controls.removeWebhook('pawl')
  const told = await world.play('A patient asks for erasure', { input: internalId })
  expect(told('pawl purge')).toMatch(new RegExp(`found +${id}`))
  expect(told('pawl audit list')).toContain('Request of 3 March')
  const again = await world.play('A patient asks for erasure', { input: internalId })
  expect(again('pawl purge')).toContain('The ledger holds nothing more of this patient, who was erased')
})

it('the work goes on under a new token', async () => {
  world = await startRunbookWorld()
  const ids = await world.create(3)
  await world.atRest(ids)
  await world.sandbox.controls.revokeToken(world.env.API_TOKEN ?? '')
  await world.pawl(`pawl sync ${ids.join(' ')}`)
  expect((await world.pawl('pawl doctor')).output).toMatch(/^service +FAIL/m)
  world.env.API_TOKEN = await world.sandbox.issueToken()
  const told = await world.play('The API token expired', {
    before: {
      async 'pawl retry'() {
        await world.atRest(ids)
        expect(await world.gateway.ledger.counts()).toMatchObject({ parked: 0 })
      },
    },
  })
  expect(told('pawl doctor')).toMatch(/^service +ok/m)
  expect(await world.gateway.ledger.outages()).toEqual([])
})

it('a ledger from a backup does nothing until it is resumed, and then catches up with what it missed', async () => {
  world = await startRunbookWorld()
  const ids = await world.create(8)
  await world.atRest(ids)
  expect((await world.pawl(`pawl ledger backup --to ${join(world.folder, 'pawl-backup.db')}`)).code).toBe(0)
  const backedUpAt = Date.now()
  const [lost = ''] = await world.create(1)
  await world.atRest([...ids, lost])
  // From here on it would come back by itself.
  world.sandbox.controls.removeWebhook('pawl')
  const told = await world.play('A backup was restored', {
    id: lost,
    before: {
      async 'systemctl start'() {
        await world.stop()
        for (const end of ['', '-wal', '-shm']) await rm(join(world.folder, `pawl.db${end}`), { force: true })
        await copyFile(join(world.folder, 'pawl-backup.db'), join(world.folder, 'pawl.db'))
        world.env.START_PAUSED = 'true'
      },
      async 'pawl resume --all'() {
        for (const id of ids) await deliver(world.gateway.url, envelope({ id, note: 'again' }))
      },
      'pawl sync': async () => expect(await world.known(lost)).toBeUndefined(),
    },
  })
  expect(told('pawl ledger check --database')).toContain('All is well.')
  expect(told('pawl status')).toContain('(restored backup?)')
  expect(told('pawl audit verify')).toContain('unbroken')
  await world.atRest([...ids, lost])
  expect(await world.gateway.ledger.pauses()).toEqual([])
  // Since when something may be missing.
  const [pause] = await world.gateway.ledger.readAudit({ action: 'work.pause' }, 1)
  expect(Date.parse(String(pause?.details.newest_delivery))).toBeLessThan(backedUpAt)
})

it('deliveries are taken again once the disk has room', async () => {
  let room = judgeRoom({ freeBytes: 41 * 1024 * 1024, totalBytes: 9e9 })
  world = await startRunbookWorld({ parts: { readDiskRoom: () => Promise.resolve(room) } })
  const status = async (id: string) => (await deliver(world.gateway.url, envelope({ id }))).status
  await soon('deliveries are turned away', async () => (await status('pa_req_probe')) === 503)
  const [id = ''] = await world.create(1)
  expect((await world.pawl('pawl status')).output).toMatch(/^Deliveries have been turned away/m)
  const told = await world.play('The disk is nearly full', {
    id,
    before: {
      'pawl status': () => (room = judgeRoom({ freeBytes: 5e9, totalBytes: 9e9 })),
      'pawl events list': () => soon('deliveries are taken', async () => (await status(id)) < 300),
    },
  })
  expect(told('pawl status')).not.toContain('turned away since')
  expect(told('pawl events list')).toContain(id)
  await world.atRest([id])
})

it('work that nobody begins is done once a worker runs', async () => {
  world = await startRunbookWorld({ settings: { ROLE: 'receiver' } })
  const ids = await world.create(2)
  await soon('all are due', async () => (await world.gateway.ledger.counts()).due === ids.length)
  const told = await world.play('No worker runs', {
    before: {
      'systemctl start': () => (world.env.ROLE = 'all'),
      'pawl status': () => world.atRest(ids),
    },
  })
  expect(told('pawl status')).toMatch(/^due +0$/m)
  expect(await behind(ids)).toEqual([])
})
