import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCommandLine } from '../src/command-line.ts'
import { readConfigFile } from '../src/config-file.ts'
import { startSandbox } from './play.ts'

let folder = ''
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'pawl-config-'))))
afterAll(() => rmSync(folder, { recursive: true }))

function write(content: unknown): string {
  const file = join(folder, 'sandbox.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

/** Reported faults of a file, without its path. */
function faultsOf(content: unknown): string[] {
  const file = write(content)
  try {
    readConfigFile(file)
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(`${file}: `, '').replaceAll(file, 'FILE').split('\n') : []
  }
  return []
}

describe('--config', () => {
  it('starts with the organizations of the example of docs/sandbox.md', async () => {
    const page = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8')
    const [, example = ''] = /```json\n([^]*?)```/.exec(page) ?? []
    const { port, options } = readConfigFile(write(example))
    expect([port, options.speed, options.chaos]).toEqual([4000, 60, 'light'])
    const { sandbox } = await startSandbox(options)
    expect(sandbox.controls.listOrganizations()).toMatchObject([
      {
        id: 'org_clinic',
        workflow: 'non_delegated',
        quotas: { 'read-endpoint-minute': 600, 'pa-create-24h': 1000 },
        webhooks: [{ name: 'main', events: ['prior_authorization.status_change', 'prior_authorization.message'] }],
      },
      { id: 'org_pharmacy', pharmacy: true, workflow: 'delegated' },
    ])
  })

  it('gives way to the command line', () => {
    const file = write({ port: 5000, host: '::1', speed: 60, seed: 3, chaos: 'heavy', organizations: [{ id: 'a' }] })
    expect(readCommandLine(['--config', file, '--speed', '5', '--chaos', 'off'])).toMatchObject({
      port: 5000,
      host: '::1',
      options: { speed: 5, seed: 3, chaos: 'off', organizations: [{ id: 'a' }] },
    })
    // A default of a flag does not count as given on the command line.
    expect(readCommandLine(['--config', file, '--port', '4000'])).toMatchObject({ port: 4000, options: { speed: 60 } })
  })

  it('sets the host names unless the command line does', () => {
    const file = write({ host_names: ['sandbox.clinic.example'] })
    expect(readCommandLine(['--config', file])).toMatchObject({ options: { hostNames: ['sandbox.clinic.example'] } })
    const flags = ['--host-name', 'one.example', '--host-name', 'two.example']
    expect(readCommandLine(['--config', file, ...flags])).toMatchObject({
      options: { hostNames: ['one.example', 'two.example'] },
    })
  })

  it.each([
    ['{', [expect.stringMatching(/^FILE is not JSON: /)]],
    [{ speed: 'fast' }, ['speed: must be of type number']],
    [
      { organisations: [] },
      [expect.stringMatching(/^has no "organisations"; legal here: port, host, host_names, speed, .*organizations$/)],
    ],
    [
      { organizations: [{ workflow: 'direct' }] },
      ['organizations.0.id: is missing', 'organizations.0.workflow: must be one of delegated, non_delegated'],
    ],
    [{ organizations: [{ id: 'a' }, { id: 'a' }] }, ['organizations: a is listed twice.']],
    [
      { organizations: [{ id: 'a', quotas: { minute: 1 } }] },
      [expect.stringMatching(/^organizations\.0\.quotas: has no "minute"; legal here: read-endpoint-minute, /)],
    ],
    [
      { organizations: [{ id: 'a', webhooks: [{ url: 'ftp://x', secret: '' }] }] },
      [
        'organizations.0.webhooks.0.url: must be an http or https address',
        expect.stringContaining('webhooks.0.secret: '),
      ],
    ],
    [
      { organizations: [{ id: 'a', webhooks: [{ url: 'http://x/', secret: 's', events: ['x'] }] }] },
      [expect.stringContaining('must be all, or 0: must be one of benefit_verification.status_change')],
    ],
    [{ chaos: { sending: { drop: 2 } } }, ['chaos.sending.drop: must be at most 1']],
  ])('says what is wrong with %j', (content, faults) => {
    expect(faultsOf(content)).toEqual(faults)
  })

  it('exits 2 for a missing or invalid file, and names it', () => {
    for (const [file, reason] of [
      [join(folder, 'none.json'), 'does not exist.'],
      [folder, 'cannot be read.'],
      [write({ speed: -1 }), 'speed: must be at least 0'],
    ] as const) {
      let printed = ''
      expect(readCommandLine(['--config', file], undefined, (text) => (printed += text))).toEqual({ exitCode: 2 })
      expect(printed).toContain(file)
      expect(printed).toContain(reason)
    }
  })
})

describe('the commands', () => {
  it.each([
    [['list'], { subcommand: 'list', host: '127.0.0.1', port: 4000, json: false }],
    [
      ['trigger', 'rough-road', '--port', '4001', '--json'],
      { subcommand: 'trigger', scenario: 'rough-road', port: 4001, json: true },
    ],
    [
      ['--port', '4001', 'trigger', 'x.json', '--organization', 'org_a'],
      { scenario: 'x.json', port: 4001, organization: 'org_a' },
    ],
    [['send', 'x.json', '--webhook', 'main'], { subcommand: 'send', file: 'x.json', webhook: 'main' }],
  ])('%j is understood', (args, subcommand) => {
    expect(readCommandLine(args)).toMatchObject(subcommand)
  })

  it.each([
    [['trigger'], 'scenario'],
    [['send', 'a', 'b'], 'arguments'],
    [['trigger', 'x', '--speeed'], '--speeed'],
  ])('%j ends with 2 and says why', (args, said) => {
    let printed = ''
    expect(readCommandLine(args, undefined, (text) => (printed += text))).toEqual({ exitCode: 2 })
    expect(printed).toContain(said)
  })
})
