import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../src/index.ts'
import { Sqlite } from '../../base/src/sqlite.ts'
import { createAdminClient } from '../src/commands/admin-client.ts'
import { createProgram } from '../../../src/cli/program.ts'
import { hashPassword } from '../../base/src/password-hash.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'

const own = 'a-password-of-their-own'
const password = await hashPassword(own)
const users = [
  { name: 'olga', roles: ['operator'], password },
  { name: 'rita', roles: ['viewer', 'reveal'], password },
]
const id = 'pa_req_1'
const reason = 'The clinic asks which drug it is'

let gateway: LocalGateway
const log = captureLog('info')

beforeEach(async () => {
  log.clear()
  const handler = defineHandler({ name: 'chart', on: ['prior_authorization.status_change'], handle: async () => {} })
  gateway = await startLocalGateway(
    { api: createScriptedApi({ patient: { last_name: 'Sample' } }).api, handlers: [handler], log: log.log },
    { ADMIN_USERS: JSON.stringify(users), SEALING_KEYS: Buffer.alloc(32, 7).toString('base64') },
  )
  await deliver(gateway.url, envelope({ id }))
  await until('it is read', async () => (await gateway.ledger.history(id, 1, {}))?.resource.snapshotAt)
})
afterEach(() => gateway.destroy())

const as = (name: string) => ({ authorization: `Basic ${Buffer.from(`${name}:${own}`).toString('base64')}` })
const reveal = (name: string, body: object, of = id) =>
  request(gateway.adminUrl).post(`/api/resources/${of}/reveal`).set(as(name)).send(body)
const trail = async () =>
  (await gateway.ledger.readAudit({ after: 0 }, 1_000)).filter(({ action }) => action === 'resource.reveal')

/** Runs one command as the person; resolves with its output. */
async function pawl(name: string, ...args: string[]): Promise<string> {
  const lines: string[] = []
  const ask = createAdminClient(() => ({ url: gateway.adminUrl, user: name, password: own }))
  const end = (error: Error) => {
    throw error
  }
  const program = await createProgram({ ask, print: (line) => void lines.push(line), end })
  await program.parseAsync(args, { from: 'user' })
  return lines.join('\n')
}

describe('the stored content of a resource', () => {
  it('is opened for a reason, and who, what, when and why is written down', async () => {
    const { status, body, headers } = await reveal('rita', { reason })
    expect({ status, cached: headers['cache-control'] }).toEqual({ status: 200, cached: 'no-store' })
    expect(body).toMatchObject({ id, kind: 'prior_authorization', snapshot: { id, patient: { last_name: 'Sample' } } })
    expect(await trail()).toMatchObject([
      { actor: { name: 'rita', via: 'admin', auth: 'password' }, resourceId: id, reason, at: expect.any(Number) },
    ])
    expect(await gateway.ledger.verifyAudit()).toMatchObject({ faults: [] })
    expect(log.text()).not.toContain('Sample')
  })

  it('is opened of one of its events, as the service sent it, and the trail names the event', async () => {
    const [event] = (await gateway.ledger.listEvents({ resourceId: id }, 1)).rows
    const { body } = await reveal('rita', { reason, event: event?.id })
    expect(body).toMatchObject({ id, snapshot: envelope({ id }) })
    expect(await trail()).toMatchObject([{ resourceId: id, reason, details: { event: event?.id } }])
    await deliver(gateway.url, envelope({ id: 'pa_req_2' }))
    expect((await reveal('rita', { reason, event: event?.id }, 'pa_req_2')).status).toBe(404)
    expect((await reveal('rita', { reason, event: 0 })).status).toBe(404)
    expect((await reveal('olga', { reason, event: event?.id })).status).toBe(403)
    expect(await trail()).toHaveLength(1)
  })

  it('is not opened without a reason, the right, or such a resource, and then nothing was revealed', async () => {
    for (const body of [{}, { reason: '' }, { reason: ' x ' }, { reason: 'x'.repeat(501) }])
      expect((await reveal('rita', body)).status).toBe(400)
    expect((await reveal('olga', { reason })).status).toBe(403)
    expect((await reveal('rita', { reason }, 'pa_nobody')).status).toBe(404)
    expect(await trail()).toEqual([])
  })

  it('is not opened where that cannot be written down', async () => {
    const db = new Sqlite(gateway.databasePath)
    db.exec("create trigger no_trail before insert on audit begin select raise(abort, 'no trail'); end")
    const { status, text } = await reveal('rita', { reason })
    expect(status).toBe(503)
    expect(text).not.toContain('Sample')
    db.exec('drop trigger no_trail')
    db.close()
    expect(await trail()).toEqual([])
  })

  it('is printed by the command line for a reason, and its story says who saw it', async () => {
    const printed: unknown = JSON.parse(await pawl('rita', 'show', id, '--reveal', '--reason', reason))
    expect(printed).toMatchObject({ id, snapshot: { patient: { last_name: 'Sample' } } })
    expect(await trail()).toMatchObject([{ actor: { name: 'rita' }, reason }])
    const story = await pawl('olga', 'show', id)
    expect(story).toMatch(/ reveal +rita +shown$/m)
    expect(story).not.toMatch(/Sample|which drug/)
    await expect(pawl('olga', 'show', id, '--reveal', '--reason', reason)).rejects.toThrow(/olga may not open/)
    await expect(pawl('rita', 'show', id, '--reveal')).rejects.toThrow()
    const long = 'pa_req_0123456789'
    await deliver(gateway.url, envelope({ id: long }))
    expect(await pawl('rita', 'show', long.slice(0, 13))).toContain(long)
    await expect(pawl('rita', 'show', long.slice(0, 13), '--reveal', '--reason', reason)).rejects.toThrow(/whole id/)
  })
})
