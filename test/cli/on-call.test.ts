import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, CommanderError } from 'commander'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { defineHandler } from '#pawl'
import { ApiNotFound } from '../../packages/client/src/api/api-errors.ts'
import { createProgram } from '../../src/cli/program.ts'
import { act } from '../support/act.ts'
import { runCommand } from '../support/run-command.ts'
import { createScriptedApi, type ScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope, webhookSecret } from '../support/webhook.ts'
import type { WorkFilter } from '../../packages/ledger/src/hot/work-filter.ts'
import { signingSecrets } from '../../packages/base/src/setting-types.ts'

let gateway: LocalGateway
let service: ScriptedApi
let refuses: boolean

const pawl = (...args: string[]) => runCommand(gateway.adminUrl, ...args)
const open = async (filter: WorkFilter) => (await gateway.ledger.work(filter, 10)).rows
const settled = () => until('nothing is due', async () => (await gateway.ledger.counts()).due === 0)

describe('with a running pawl', () => {
  beforeEach(async () => {
    refuses = true
    service = createScriptedApi()
    const handler = defineHandler({
      name: 'chart',
      on: ['prior_authorization.status_change'],
      async handle() {
        if (refuses) throw Object.assign(new Error('away'), { code: 'ECONNRESET' })
      },
    })
    const env = { RETRY_BASE_MS: '3600000', RETRY_MAX_MS: '3600000' }
    gateway = await startLocalGateway({ api: service.api, handlers: [handler] }, env)
  })
  afterEach(() => gateway.destroy())

  const fail = async (...ids: string[]) => {
    for (const id of ids) await deliver(gateway.url, envelope({ id }))
    await until('all failed', async () => (await open({ handler: 'chart' })).length === ids.length)
  }

  it('lists what fails, and retries by error what would wait for an hour', async () => {
    await fail('pa_req_1', 'pa_req_2')
    expect(await pawl('due')).toMatch(/^pa_req_1 +in \d+ min +chart +1 attempt +ECONNRESET: Error at on-call/m)
    expect(JSON.parse(await pawl('due', '--error', 'ECONNRESET', '--limit', '1', '--json'))).toMatchObject({
      due: [{ resourceId: 'pa_req_1', failed: { handler: 'chart', errorCode: 'ECONNRESET' } }],
      isAll: false,
    })
    refuses = false
    expect(await pawl('retry', '--error', 'ECONNRESET', '--resource', 'pa_req_2')).toBe('Due again: 1 piece of work.')
    await until('one is left', async () => (await gateway.ledger.dueWork(undefined, 10)).length === 1)
    expect(await pawl('retry', '--error', 'ECONNRESET')).toBe('Due again: 1 piece of work.')
    await settled()
    expect(await pawl('due')).toBe('Nothing waits.')
  })

  it('lists, retries and gives up by the same names: a handler, a system, an error, a state', async () => {
    await fail('pa_req_1', 'pa_req_2')
    const why = ['--reason', 'Done by hand']
    for (const [names, count] of [
      [['--system', '-'], 2],
      [['--state', 'failing'], 2],
      [['--handler', 'chart', '--system', '-', '--error', 'ECONNRESET', '--state', 'failing'], 2],
      [['--resource', 'pa_req_2', '--system', '-'], 1],
      [['--system', 'api'], 0],
      [['--state', 'parked'], 0],
    ] as const) {
      expect(await pawl('retry', ...names, '--dry-run')).toBe(
        `Would be due again: ${count} piece${count === 1 ? '' : 's'} of work.`,
      )
      const { discarded } = JSON.parse(await pawl('discard', ...names, '--dry-run', '--json', ...why)) as {
        discarded: unknown[] // as discard prints them
      }
      expect(discarded).toHaveLength(count)
      if (names.some((each) => each === 'parked')) continue
      const { due } = JSON.parse(await pawl('due', ...names, '--json')) as { due: unknown[] } // as due prints them
      expect(due).toHaveLength(count)
    }
    expect(await pawl('parked', '--system', '-', '--handler', 'chart')).toBe('Nothing is parked.')
    for (const command of ['parked', 'due', 'retry'])
      await expect(pawl(command, '--system', 'no-such')).rejects.toThrow('There is no system of this name')
    expect(await pawl('retry', '--system', '-', '--limit', '1')).toBe('Due again: 1 piece of work, 1 left.')
  })

  it('gives up what is parked or fails: of a resource, with an error, or all; what only waits is left alone', async () => {
    await fail('pa_req_1', 'pa_req_2', 'pa_req_3', 'pa_req_4', 'pa_req_5')
    const why = ['--reason', 'the service does not know them']
    expect(await pawl('retry', '--all', '--dry-run')).toBe('Would be due again: 5 pieces of work.')
    expect(await pawl('discard', '--all', '--dry-run', ...why)).toBe('Would be discarded: 5 pieces of work.')
    expect(await open({ handler: 'chart' })).toHaveLength(5)
    expect(await pawl('discard', '--resource', 'pa_req_1', ...why)).toBe('Discarded: the work of chart on pa_req_1.')
    expect(JSON.parse(await pawl('discard', '--resource', 'pa_req_2', '--handler', 'chart', '--json', ...why))).toEqual(
      {
        dry_run: false,
        discarded: [{ resourceId: 'pa_req_2', handler: 'chart' }],
        inWork: [],
      },
    )
    await pawl('pause', 'chart')
    await pawl('sync', 'pa_req_5')
    await until('it waits for the pause', async () => (await open({ errorCode: 'handler_paused' })).length === 1)
    expect(await pawl('discard', '--handler', 'chart', ...why)).toBe('Discarded: 2 pieces of work.')
    expect(await open({})).toMatchObject([{ resourceId: 'pa_req_5', handler: 'chart' }])
    expect(await pawl('discard', '--all', ...why)).toBe('Discarded: 0 pieces of work.')
    expect(await pawl('discard', '--error', 'handler_paused', ...why)).toBe('Discarded: the work of chart on pa_req_5.')
    const trail = await gateway.ledger.readAudit({ action: 'work.discard' }, 20)
    expect(trail.map(({ resourceId, handler, reason }) => [resourceId, handler, reason])).toEqual(
      ['pa_req_1', 'pa_req_2', 'pa_req_3', 'pa_req_4', 'pa_req_5'].map((id) => [id, 'chart', why[1]]),
    )
  })

  it('refuses to give up all by accident, and what it does not know', async () => {
    await fail('pa_req_1')
    const why = ['--reason', 'Done by hand']
    for (const [args, said] of [
      [['--handler', 'no-such'], 'No handler of src/integration/index.ts has this name'],
      [['--resource', 'pa_req_9'], 'The ledger knows no resource of this id'],
      [['--error', 'no_such'], 'No parked or failed work has this error'],
      [['--resource', 'pa_req_1', '--handler', 'other'], 'Nothing of that handler is parked or failing'],
    ] as const)
      await expect(pawl('discard', ...args, ...why)).rejects.toThrow(said)
    await expect(pawl('discard', ...why)).rejects.toMatchObject({ exitCode: 1 })
    expect(await open({})).toHaveLength(1)
  })

  it('syncs a resource at once that waits for its next try, and one that it does not know', async () => {
    await fail('pa_req_1')
    refuses = false
    expect(await pawl('sync', 'pa_req_1', 'pa_req_2')).toBe('2 resources now due.')
    await settled()
    // An id that pawl never heard of is asked for before it is stored.
    expect(service.reads.toSorted()).toEqual(['pa_req_1', 'pa_req_1', 'pa_req_2', 'pa_req_2'])
  })

  it('says that no other case is missing, with ids or without', async () => {
    refuses = false
    expect(await pawl('sync', 'pa_req_1')).toBe('1 resource now due.')
    const details = async () =>
      (await gateway.ledger.listAudit({ action: 'resource.reconcile' }, 9)).map((entry) => entry.details)
    expect(await details()).toEqual([{ resources: ['pa_req_1'], count: 1 }])
    expect(await pawl('sync', 'pa_req_2', '--complete')).toBe('1 resource now due.')
    expect(await pawl('sync', '--complete')).toBe('Recorded: no case is missing.')
    expect(await details()).toEqual([
      { resources: [], count: 0 },
      { resources: [], count: 0 },
      { resources: ['pa_req_2'], count: 1 },
      expect.anything(),
    ])
    await settled()
  })

  it('says of an id that the service does not know that nothing was done', async () => {
    service.before = (id) => {
      if (id === 'pa_req_9') throw new ApiNotFound({ method: 'GET', route: '/prior-authorization/{id}' }, id)
    }
    await expect(pawl('sync', 'pa_req_1', 'pa_req_9')).rejects.toThrow(/pa_req_9/)
    expect(await gateway.ledger.counts()).toMatchObject({ resources: 0, due: 0, parked: 0 })
  })

  it('writes into the audit trail what was paused, resumed, retried and synced', async () => {
    await fail('pa_req_1')
    await pawl('pause', 'chart', '--reason', 'the chart moves')
    await pawl('resume', 'chart')
    await pawl('retry', '--error', 'ECONNRESET')
    await pawl('sync', 'pa_req_1')
    const trail = (await gateway.ledger.readAudit({}, 20)).filter(({ actor }) => actor.via === 'admin')
    expect(
      trail.map(({ action, handler, reason, details }) => ({ action, handler, reason, ...details })),
    ).toMatchObject([
      { action: 'work.pause', handler: 'chart', reason: 'the chart moves' },
      { action: 'work.resume', handler: 'chart' },
      { action: 'work.retry', error: 'ECONNRESET', count: 1, resources: ['pa_req_1'] },
      { action: 'work.retry', count: 1, resources: ['pa_req_1'] },
      { action: 'resource.reconcile', count: 1, resources: ['pa_req_1'] },
    ])
  })

  it('counts what is due while all work is paused as waiting, and says for how long', async () => {
    await gateway.ledger.pause({ kind: 'all', name: '' }, act)
    await until('paused', async () =>
      (await (await fetch(`${gateway.adminUrl}/metrics`)).text()).includes('pawl_paused{'),
    )
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
    await until('it waits', async () => (await gateway.ledger.counts()).oldestWaitingMs > 0)
    expect(await pawl('status')).toMatch(/^waiting +1 piece of work, the oldest for \d+ s$/m)
    expect(JSON.parse(await pawl('status', '--json'))).toMatchObject({ due: 1, paused: [{ kind: 'all' }] })
  })

  it('lists events and resources without what they say', async () => {
    refuses = false
    await deliver(gateway.url, envelope({ id: 'pa_req_1', note: 'Testa Sample' }))
    await deliver(gateway.url, envelope({ id: 'pa_req_2' }, 'something.new'))
    await settled()
    const list = await pawl('events', 'list', '--since', '1h')
    expect(list.split('\n').map((line) => line.replace(/\S+T\S+Z/, 'then'))).toEqual([
      expect.stringMatching(/^2 +then +\? +pa_req_2 +webhook +unhandled$/),
      expect.stringMatching(/^1 +then +prior_authorization\.status_change +pa_req_1 +webhook +synced$/),
    ])
    expect(await pawl('events', 'list', '--type', '?', '--limit', '1')).toMatch(/^2 /)
    expect(await pawl('events', 'list', '--state', 'synced')).toMatch(/^1 .* synced$/)
    expect(await pawl('events', 'list', '--resource', 'pa_req_1', '--json')).not.toContain('Testa')
    expect(await pawl('events', 'show', '1')).toMatch(/^1 .*\n {2}chart: handled$/)
    await expect(pawl('events', 'show', '99')).rejects.toThrow('no event of this number')
    expect(await pawl('resources', 'list')).toMatch(
      /^pa_req_1 +prior_authorization +\S+Z +\w+ +0 failing +0 waiting +0 parked$/m,
    )
    expect(await pawl('resources', 'list', '--state', 'parked')).toBe('No resources.')
    refuses = true
    await fail('pa_req_3')
    for (const state of ['failing', 'due'])
      expect(JSON.parse(await pawl('resources', 'list', '--state', state, '--json'))).toMatchObject({
        resources: [{ id: 'pa_req_3', failing: 1, parked: 0 }],
      })
  })

  it('sends a signed delivery with a body of its own, as often as it is told', async () => {
    refuses = false
    const folder = await mkdtemp(join(tmpdir(), 'pawl-send-'))
    const file = join(folder, 'data.json')
    await writeFile(file, JSON.stringify({ id: 'pa_req_0', patient: { first_name: 'Testa' } }))
    vi.stubEnv('WEBHOOK_SECRETS', webhookSecret)
    const to = `${gateway.url}/webhooks`
    const fields = ['--set', 'id=pa_req_7', '--set', 'patient.mrn=1']
    const type = 'prior_authorization.status_change'
    const { answers } = JSON.parse(
      await pawl('send', type, '--file', file, ...fields, '--times', '2', '--to', to, '--json'),
    ) as { answers: { status: number }[] } // as send prints them
    expect(answers.map(({ status }) => status)).toEqual([202, 200])
    await settled()
    const [stored] = await gateway.ledger.bodies('pa_req_7')
    expect(JSON.parse(Buffer.from(stored?.body ?? []).toString())).toMatchObject({
      event_type: type,
      data: { id: 'pa_req_7', patient: { first_name: 'Testa', mrn: 1 } },
    })
    await expect(pawl('send', type, '--to', to)).rejects.toThrow('no usable id')
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true })
  })
})

it('makes secrets for the settings', async () => {
  const secrets = (await runCommand('http://127.0.0.1:9', 'secrets', 'generate', '--count', '2')).split('\n')
  expect(new Set(secrets).size).toBe(2)
  for (const secret of secrets) expect(secret).toMatch(/^[0-9a-f]{64}$/)
  const sealing = await runCommand('http://127.0.0.1:9', 'secrets', 'generate', '--sealing')
  expect(Buffer.from(sealing, 'base64')).toHaveLength(32)
  const pharmacy = await runCommand('http://127.0.0.1:9', 'secrets', 'generate', '--pharmacy')
  expect(signingSecrets.parse(pharmacy)).toEqual([pharmacy])
})

describe('exit codes', async () => {
  const commands = new Map<string, Command>()
  const collect = (command: Command, path: string[]) => {
    if (command.commands.length === 0) commands.set(path.join(' '), command)
    for (const each of command.commands) collect(each, [...path, each.name()])
  }
  const end = (error: CommanderError): never => {
    throw error
  }
  collect(await createProgram({ ask: () => Promise.reject(new Error('not asked')), print: () => {}, end }), [])

  /** Commands with valid arguments, and whether they ask a running pawl; first those for the person on call. */
  const table: [command: string, args: string[], asks: boolean][] = [
    ['status', [], true],
    ['due', [], true],
    ['parked', [], true],
    ['retry', ['--all'], true],
    ['discard', ['--all', '--reason', 'Done by hand'], true],
    ['ledger purge', [], true],
    ['sync', ['pa_req_1'], true],
    ['reconcile', ['--since', '1h'], true],
    ['pause', ['--all'], true],
    ['resume', ['--all'], true],
    ['events list', [], true],
    ['events show', ['1'], true],
    ['events tail', [], true],
    ['resources list', [], true],
    ['send', ['prior_authorization.status_change'], false],
    ['secrets generate', [], false],
    ['check', [], false],
    ['ledger copy', [], false],
    ['pharmacy schema', [], false],
  ]

  it.each(table)('of %s are told in its help, and wrong options end it with 2', async (name, args, asks) => {
    const command = commands.get(name)
    if (command === undefined) throw new Error(`there is no ${name}`)
    let help = ''
    command.configureOutput({ writeOut: (text) => (help += text), writeErr: () => {} })
    command.outputHelp()
    expect(help).toMatch(/^Prints /m)
    expect(help).toMatch(asks ? /^Exits with 0.*; 1 when no pawl answers.*; 2 for wrong options/m : /^Exits with 0/m)
    const silent = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await expect(runCommand('http://127.0.0.1:9', ...name.split(' '), ...args, '--nonsense')).rejects.toBeInstanceOf(
      CommanderError,
    )
    // Nothing listens there: what the process ends with is 1, as for every PawlError but wrong settings.
    if (asks) await expect(runCommand('http://127.0.0.1:9', ...name.split(' '), ...args)).rejects.toThrow('No pawl')
    silent.mockRestore()
  })

  it('of send come with what becomes of an id that the service does not know', () => {
    let help = ''
    commands
      .get('send')
      ?.configureOutput({ writeOut: (text) => (help += text) })
      .outputHelp()
    expect(help).toContain(
      'a delivery with an unknown id is retried and parks after some minutes; "pawl discard" removes it.',
    )
  })
})
