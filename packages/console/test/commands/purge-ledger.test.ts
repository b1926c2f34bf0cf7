import { afterEach, beforeEach, expect, it } from 'vitest'
import { Sqlite } from '../../../base/src/sqlite.ts'
import { runCommand } from '../../../../test/support/run-command.ts'
import { createScriptedApi } from '../../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../../test/support/start-local-gateway.ts'
import { deliver, envelope } from '../../../../test/support/webhook.ts'

let gateway: LocalGateway
beforeEach(async () => {
  // Retention has run once at the start, and comes again in an hour.
  gateway = await startLocalGateway({ api: createScriptedApi().api, handlers: [] })
})
afterEach(() => gateway.destroy())

const purge = (...args: string[]) => runCommand(gateway.adminUrl, 'ledger', 'purge', ...args)

/** Makes all deliveries as old as that. */
function age(days: number): void {
  const database = new Sqlite(gateway.databasePath)
  database.prepare('update events set received_at = received_at - ?').run(days * 86_400_000)
  database.close()
}

it('says what would go, deletes it, and stands in the audit trail', async () => {
  for (const note of ['one', 'two']) await deliver(gateway.url, envelope({ id: 'pa_req_1', note }, 'something.new'))
  expect(await purge()).toBe('removed    nothing')
  age(31)
  expect(await purge('--dry-run')).toBe('would go   2 deliveries')
  expect(JSON.parse(await purge('--dry-run', '--json'))).toMatchObject({ dry_run: true, removed: { deliveries: 2 } })
  expect((await gateway.ledger.listEvents({}, 10)).rows).toHaveLength(2)
  expect(JSON.parse(await purge('--json'))).toMatchObject({
    dry_run: false,
    removed: { deliveries: 2, dueBodies: 0, parkedBodies: 0, snapshots: 0 },
  })
  // The newest one stays, without its body.
  expect((await gateway.ledger.listEvents({}, 10)).rows).toMatchObject([{ id: 2 }])
  expect(await gateway.ledger.bodies('pa_req_1')).toEqual([])
  expect(await purge('--dry-run')).toBe('would go   nothing')
  const noted = await gateway.ledger.readAudit({ action: 'ledger.purge' }, 10)
  expect(noted.map(({ actor }) => actor.via)).toEqual(['admin', 'admin'])
})

it('refuses a cursor that is none of its own', async () => {
  const response = await fetch(`${gateway.adminUrl}/api/ledger/purge`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ cursor: 'x' }),
  })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('optional fields cursor, from the previous step')
})
