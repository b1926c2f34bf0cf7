import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler, PawlError } from '#pawl'
import { createAdminClient } from '../../packages/console/src/commands/admin-client.ts'
import { addStatusCommand } from '../../packages/console/src/commands/status-command.ts'
import { ApiUnauthorized } from '../../packages/client/src/api/api-errors.ts'
import { startFarSide } from '../../packages/testing/src/far-side.ts'
import { createScriptedApi, type ScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'
import { needs } from '../support/needs.ts'
import { argumentsFor, runPawl } from '../support/run-script.ts'
import { tryCommand } from '../support/run-command.ts'

class Refused extends PawlError {
  readonly code = 'refused'
}

let gateway: LocalGateway
let refuses: boolean
let service: ScriptedApi

beforeEach(async () => {
  refuses = true
  service = createScriptedApi()
  const handler = defineHandler({
    name: 'stubborn',
    on: ['prior_authorization.status_change'],
    async handle() {
      if (refuses) throw new Refused('The chart is locked.')
    },
  })
  gateway = await startLocalGateway({ api: service.api, handlers: [handler] }, { POLL_INTERVAL_MS: '100' })
})
afterEach(() => gateway.destroy())

const pawl = (...args: string[]) => tryCommand(gateway.adminUrl, ...args)

/** The command in a process of its own. */
async function pawlProcess(...args: string[]) {
  const { code, output } = await runPawl(args, { ADMIN_PORT: new URL(gateway.adminUrl).port })
  return { code, output }
}

describe('the command line', () => {
  it('shows parked work and retries it, also under the former name of the command', async () => {
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
    await until('parked', async () => (await gateway.ledger.counts()).parked === 1)
    expect((await pawl('parked')).output).toContain(
      'pa_req_1  stubborn  after 1 attempt  refused: The chart is locked.',
    )
    expect((await pawl('status')).output).toMatch(/parked +1 piece of work/)
    refuses = false
    expect(await pawl('retry', '--handler', 'stubborn')).toEqual({ code: 0, output: 'Due again: 1 piece of work.\n' })
    await until('in sync', async () => (await gateway.ledger.counts()).parked === 0)
    expect((await pawl('retry', '--all')).output).toBe('Due again: 0 pieces of work.\n')
    expect((await pawl('parked')).output).toBe('Nothing is parked.\n')
  })

  it.skipIf(needs('script', { package: 'bsdutils' }) === undefined)(
    'colours the status on a terminal by severity, unless NO_COLOR is set',
    async () => {
      await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
      await until('parked', async () => (await gateway.ledger.counts()).parked === 1)
      const { port } = new URL(gateway.adminUrl)
      const command = [process.execPath, ...argumentsFor('src/cli/pawl.ts'), 'status'].join(' ')
      const onTerminal = async (env: Record<string, string>) => {
        const given = { PATH: process.env.PATH, TERM: 'xterm-256color', ADMIN_PORT: port, ...env }
        const { stdout } = await promisify(execFile)('script', ['-qec', command, '/dev/null'], { env: given })
        // Colours as `<31>`.
        return stdout
          .replaceAll('\r', '')
          .replaceAll('\u001B[', '<')
          .replaceAll(/<(\d+)m/g, '<$1>')
      }
      const coloured = await onTerminal({})
      expect(coloured).toMatch(/^<31>1 case parked since .*<39>$/m)
      expect(coloured).toMatch(/^<31>parked +1 piece of work<39>$/m)
      expect(coloured).toMatch(/^events +1$/m)
      const plain = await onTerminal({ NO_COLOR: '1' })
      expect(plain).toMatch(/^parked +1 piece of work$/m)
      expect(plain).not.toContain('<')
    },
  )

  it('shows the status again and again with --watch, through a restart of pawl too', async () => {
    const seen: string[][] = []
    // It is away the second time.
    const ask = createAdminClient(() => ({
      url: seen.length === 1 ? 'http://127.0.0.1:9' : gateway.adminUrl,
      password: undefined,
    }))
    const program = new Command().exitOverride()
    addStatusCommand(program, {
      ask,
      print: (line) => void seen.at(-1)?.push(line),
      clear() {
        if (seen.length === 3) throw new Error('seen enough')
        seen.push([])
      },
    })
    await expect(program.parseAsync(['status', '--watch', '1'], { from: 'user' })).rejects.toThrow('seen enough')
    expect(seen.map(([first]) => first)).toEqual(
      Array(3).fill(expect.stringMatching(/^Every 1 s, last at \d\d:\d\d:\d\d; Ctrl\+C ends it\.$/)),
    )
    expect(seen[0]).toContainEqual(expect.stringMatching(/^All is well\. /))
    expect(seen[1]?.slice(1)).toEqual(['', expect.stringContaining('is it running')])
    expect(seen[2]).toContainEqual(expect.stringMatching(/^All is well\. /))
  })

  it('says that the work of a removed handler never runs', async () => {
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
    await until('parked', async () => (await gateway.ledger.counts()).parked === 1)
    const { databasePath } = gateway
    await gateway.close()
    const other = defineHandler({ name: 'other', on: ['prior_authorization.status_change'], handle: async () => {} })
    const without = await startLocalGateway(
      { api: service.api, handlers: [other] },
      { DATABASE_URL: `file:${databasePath}` },
    )
    const told = '1 resource of stubborn: no handler of src/integration/index.ts has this name, so this work never runs'
    expect((await tryCommand(without.adminUrl, 'status')).output).toContain(told)
    const retried = await tryCommand(without.adminUrl, 'retry', '--all')
    const due = (await without.ledger.resource('pa_req_1'))?.progress
    await without.destroy()
    expect(retried).toEqual({ code: 0, output: `Due again: 0 pieces of work.\nNot retried: ${told}.\n` })
    expect(due).toMatchObject([{ handler: 'stubborn', state: 'parked' }])
  })

  it('shows which system work waits for and why, whichever process found it away', async () => {
    await gateway.destroy()
    const service = createScriptedApi()
    service.before = () => {
      throw new ApiUnauthorized({ method: 'GET', route: '/prior-authorization/{id}', httpStatus: 401 })
    }
    const env = { RETRY_ATTEMPTS: '1000', BREAKER_COOLDOWN_MS: '3600000' }
    const handler = defineHandler({ name: 'chart', on: ['prior_authorization.status_change'], async handle() {} })
    gateway = await startLocalGateway({ api: service.api, handlers: [handler] }, env)
    expect((await pawl('status')).output).not.toContain('away')
    for (let n = 0; n < 6; n += 1) await deliver(gateway.url, envelope({ id: `pa_req_${n}` }))
    const ready = async ({ adminUrl }: LocalGateway) => (await fetch(`${adminUrl}/readyz`)).text()
    await until('it is known to be away', async () => (await ready(gateway)).includes('"open"'))
    expect((await pawl('status')).output).toMatch(
      /^The service has refused pawl's token since .* \(HTTP 401\)\. .*\n  Renew API_TOKEN, restart pawl\. \(pawl doctor\)$/m,
    )
    const receiver = await startLocalGateway(
      {},
      { ...env, DATABASE_URL: `file:${gateway.databasePath}`, ROLE: 'receiver' },
    )
    await until('the other has heard', async () => (await ready(receiver)).includes('"leftAloneMs"'))
    const { output } = await tryCommand(receiver.adminUrl, 'status')
    expect(output).toMatch(/^pawl is trying the service \(api\) again\./m)
    await receiver.destroy()
  })

  it('shows work that will be tried again, and refused deliveries with what to check', async () => {
    await gateway.destroy()
    const handler = defineHandler({
      name: 'flaky',
      on: ['prior_authorization.status_change'],
      async handle() {
        throw Object.assign(new Error('away'), { code: 'ECONNRESET' })
      },
    })
    const env = { RETRY_BASE_MS: '3600000', RETRY_MAX_MS: '3600000' }
    gateway = await startLocalGateway({ api: createScriptedApi().api, handlers: [handler] }, env)
    expect((await pawl('status')).output).toMatch(/^failing +0\nrefused +0 in the last 24 h$/m)
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }), { token: 'forged' })
    await until('it was tried', async () => (await gateway.ledger.longestFailing(['flaky'])).length === 1)
    await deliver(gateway.url, envelope({ id: 'pa_req_2' }))
    await until('both failed', async () => (await gateway.ledger.workGroups({ state: 'failing' }))[0]?.count === 2)
    await until('it is noted', async () => (await gateway.ledger.refused(60_000)).length === 1)
    const { code, output } = await pawl('status')
    expect(code).toBe(0)
    expect(output).toMatch(
      /^failing +2 pieces of work\n +2 flaky, the oldest pa_req_1 for \d+ s, 1 attempt; ECONNRESET: Error at pawl\.test\.ts:\d+$/m,
    )
    expect(output).toMatch(
      /^refused +1 in the last 24 h\n +1 token_invalid, the first at [\d:]+\. Is the service's current secret among WEBHOOK_SECRETS\?$/m,
    )
  })

  it.each([
    ['--resource', 'pa_req_9', 'The ledger knows no resource of this id'],
    ['--handler', 'stuborn', 'No handler of src/integration/index.ts has this name: name one of stubborn.'],
  ])('ends with 1 and says so when the %s to retry is unknown', async (option, value, said) => {
    const { code, output } = await pawl('retry', option, value)
    expect(code).toBe(1)
    expect(output).toContain(said)
    expect(output).not.toContain('    at ')
  })

  it('prints the version of the package', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string } // as npm wants it
    expect(await pawlProcess('--version')).toEqual({ code: 0, output: `${version}\n` })
  })

  it('does not count as looked at what could not be read', async () => {
    refuses = false
    for (let n = 0; n < 10; n += 1) await deliver(gateway.url, envelope({ id: `pa_req_${n}`, status: 'processing' }))
    await until('synced', async () => (await gateway.ledger.counts()).due === 0)
    service.before = (id) => {
      if (['pa_req_3', 'pa_req_7'].includes(id)) throw new Error('away')
    }
    const { code, output } = await pawl('reconcile', '--since', '6h')
    expect(output).toContain('8 of 10 read, 2 could not be read')
    expect(code).toBe(1)
    expect((await pawl('status')).output).toMatch(/unreadable +2/)
  })

  it('cancels a reconcile, and tells so to the command that waits for it', async () => {
    refuses = false
    for (let n = 0; n < 60; n += 1) await deliver(gateway.url, envelope({ id: `pa_req_${n}`, status: 'processing' }))
    await until('synced', async () => (await gateway.ledger.counts()).due === 0)
    let answer = () => {}
    const answers = new Promise<void>((resolve) => (answer = resolve))
    service.before = () => answers
    const waiting = pawlProcess('reconcile', '--since', '6h')
    await until('begun', async () => (await gateway.ledger.counts()).reconciling > 0)
    const { code, output } = await pawl('reconcile', '--cancel')
    expect({ code, output }).toMatchObject({ code: 0 })
    // A round of polls has begun with 20.
    expect(output).toContain('Cancelled: 40 resources not read yet')
    expect(await waiting).toMatchObject({ code: 1 })
    expect((await waiting).output).toContain('Cancelled: resources not read yet')
    expect(await gateway.ledger.listAudit({ action: 'reconcile.cancel' }, 5)).toHaveLength(1)
    expect((await pawl('reconcile', '--cancel', '--json')).output).toContain('"resources": 0')
    answer()
  })

  it('says that a moment to reconcile from is in the future', async () => {
    const since = new Date(Date.now() + 3_600_000).toISOString()
    const { code, output } = await pawlProcess('reconcile', '--since', since)
    expect(code).toBe(2)
    expect(output).toContain('It is in the future')
    const body = JSON.stringify({ since })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${gateway.adminUrl}/api/reconcile`, { method: 'POST', headers, body })
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'bad_request' } }])
  })

  it('has the service asked about resources that no webhook spoke of', async () => {
    refuses = false
    const { code, output } = await pawl('sync', 'pa_req_1', 'pa:of-another-shape')
    expect({ code, output }).toEqual({ code: 0, output: '2 resources now due.\n' })
    for (const id of ['pa_req_1', 'of-another-shape']) {
      const find = async () => {
        const found = await gateway.ledger.resource(id)
        return found?.progress.some(({ state }) => state === 'synced') === true && found
      }
      const resource = await until(`${id} is in sync`, find)
      expect(resource).toMatchObject({ kind: 'prior_authorization', events: 1, reads: 1 })
    }
  })

  it('names no resource that nothing would follow', async () => {
    const { code, output } = await pawl('sync', 'pa_req_1', 'bv_1')
    expect(code).toBe(1)
    expect(output).toContain('No handler in src/integration/index.ts follows a benefit_verification')
    expect(await gateway.ledger.counts()).toMatchObject({ events: 0, resources: 0 })
  })

  it('reconciles, of what has ended, only what rang since the outage began', async () => {
    refuses = false
    const enqueue = async (id: string, status: string) => {
      service.set({ id, status })
      await deliver(gateway.url, envelope({ id, status }))
      await until('in sync', async () => (await gateway.ledger.counts()).due === 0)
    }
    await enqueue('pa_req_ended_before', 'cancelled')
    await enqueue('pa_req_goes_on', 'processing')
    const since = new Date(Date.now() + 1)
    await until('a later moment', () => Date.now() > since.getTime())
    await enqueue('pa_req_ended_since', 'cancelled')
    const { code, output } = await pawl('reconcile', '--since', since.toISOString())
    expect({ code, output }).toMatchObject({ code: 0 })
    expect(output).toContain('2 resources will be read')
    expect(output).toContain('2 of 2 read')
    const polled = service.reads.filter((_, n) => service.priorities[n] === 'background')
    expect(polled.toSorted()).toEqual(['pa_req_ended_since', 'pa_req_goes_on'])
  })

  it.each([
    [['staus'], "error: unknown command 'staus' (Did you mean status?) See --help.\n"],
    [['status', '--nonsense'], "unknown option '--nonsense'"],
    [['retry'], '--all'],
    [['retry', '--all', '--handler', 'h'], "option '--all' cannot be used with option '--handler <name>'"],
    [['reconcile'], 'Say which: --since or --cancel.'],
    [['reconcile', '--since', 'yesterday-ish'], '--since'],
    [['sync', 'of-another-shape'], 'It is pa_req_… or bv_…'],
  ])('ends with 2 and says what is wrong with %s', async (args, said) => {
    const { code, output } = await pawlProcess(...args)
    expect(code).toBe(2)
    expect(output).toContain(said)
    expect(output.trimEnd().split('\n')).toHaveLength(1)
  })

  it('says so when the password is another', async () => {
    await gateway.destroy()
    gateway = await startLocalGateway(
      { api: createScriptedApi().api, handlers: [] },
      { ADMIN_PASSWORD: 'another-password' },
    )
    const { code, output } = await pawl('status')
    expect(code).toBe(1)
    expect(output).toContain(`${gateway.adminUrl} refused: set ADMIN_PASSWORD`)
  })

  it('says so when something else answers', async () => {
    const other = await startFarSide(() => ({ status: 200, body: {} }))
    const { code, output } = await tryCommand(other.url, 'status')
    await other.close()
    expect(code).toBe(1)
    expect(output).toBe(
      `The server at ${other.url} is not this pawl's admin listener: see ADMIN_HOST and ADMIN_PORT.\n`,
    )
  })

  it('says so when nothing answers', async () => {
    await gateway.close()
    const { code, output } = await pawl('status')
    expect(code).toBe(1)
    expect(output).toContain('is it running')
    expect(output).not.toContain('    at ')
  })
})
