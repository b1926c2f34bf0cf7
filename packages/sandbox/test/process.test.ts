import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readCommandLine } from '../src/command-line.ts'
import { startFarSide } from '../../testing/src/far-side.ts'
import { argumentsFor } from '../../../test/support/run-script.ts'
import { until } from '../../../test/support/until.ts'
import { startReceiver } from './start-receiver.ts'
import { callJson, runProcess, startProcess } from './sandbox-process.ts'

const execute = promisify(execFile)

const hasCurl = await execute('curl', ['--version']).then(
  () => true,
  () => false,
)

/** Runs a printed line in a shell; without curl, what the line says by fetch. */
async function runPrinted(line: string): Promise<unknown> {
  if (hasCurl) return JSON.parse((await execute('sh', ['-c', line])).stdout)
  const headers = Object.fromEntries(
    [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [name, value]),
  )
  const body = / -d '([^']+)'/.exec(line)?.[1]
  const url = /http:\S+/.exec(line)?.[0] ?? ''
  const response = await fetch(url, body === undefined ? { headers } : { method: 'POST', headers, body })
  return response.json()
}

describe('npm run sandbox', () => {
  it('prints calls that work exactly as printed', async () => {
    const { output, url, token } = await startProcess('--speed', '0')
    const lines = output.split('\n').filter((line) => line.startsWith('curl '))
    expect(lines).toHaveLength(2)
    const [status, created] = await Promise.all(lines.map(runPrinted))
    expect(status).toMatchObject({ status: 'success', error: null })
    expect(created).toMatchObject({ status: 'success', data: { id: expect.stringMatching(/^pa_req_/) } })
    // The test itself is what checks the shape.
    const { id } = (created as { data: { id: string } }).data
    expect((await callJson({ url, token }, 'GET', `/prior-authorization/${id}`)).body.data).toMatchObject({
      status: 'created',
    })
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with 0 on %s', async (signal) => {
    const process = await startProcess()
    expect(await process.end(signal)).toBe(0)
  })

  it('takes any webhook secret, and warns of a short one without showing it', async () => {
    const hook = (secret: string) => ['--webhook-url', 'http://127.0.0.1:1/nobody', '--webhook-secret', secret]
    for (const secret of ['x', '-ключ ✓', ' ', 'a'.repeat(40)])
      expect(readCommandLine(hook(secret))).toMatchObject({ webhook: { secret } })
    const short = await startProcess('--speed', '0', ...hook('xyzzy'))
    await until('the warning', () => short.faults().includes('32 characters'))
    expect(short.faults()).not.toContain('xyzzy')
    const long = await startProcess('--speed', '0', ...hook('a'.repeat(40)))
    expect(long.faults()).toBe('')
  })

  it('sends to the given webhook, with the given chaos', async () => {
    const receiver = await startReceiver()
    try {
      const hook = ['--webhook-url', receiver.url, '--webhook-secret', 'a-secret-of-the-tests']
      const at = await startProcess('--speed', '0', '--chaos', 'duplicate=1,unavailable=0', ...hook)
      expect(at.output).toContain(receiver.url)
      expect(at.output).not.toContain('a-secret-of-the-tests')
      const [, create = ''] = at.output.split('\n').filter((line) => line.startsWith('curl '))
      await runPrinted(create)
      await expect.poll(() => receiver.types()).toEqual(Array(2).fill('prior_authorization.status_change'))
    } finally {
      await receiver.close()
    }
  })

  it.each([
    [['--port', 'x'], '--port'],
    [['--port', '70000'], '65535'],
    [['--speed', '-1'], '--speed'],
    [['--seed', '1.5'], '--seed'],
    [['--chaos', 'duplicate=2'], 'duplicate=2'],
    [['--chaos', 'nonsense'], 'nonsense'],
    [['--webhook-url', 'ftp://x'], '--webhook-url'],
    [['--webhook-url', 'http://127.0.0.1:1/'], '--webhook-secret'],
    [['--no-such-flag'], '--no-such-flag'],
    [['stray'], 'arguments'],
  ])('names the fault in %s', (args, said) => {
    const printed: string[] = []
    expect(readCommandLine(args, undefined, (text) => printed.push(text))).toEqual({ exitCode: 2 })
    expect(printed.join('')).toContain(said)
  })

  it('reads every flag', () => {
    const hook = ['--webhook-url', 'http://127.0.0.1:1/', '--webhook-secret', 'x']
    const flags = ['--port', '0', '--host', '::1', '--speed', '0.5', '--seed', '3', '--data', 'x.db', '--json']
    const more = ['--chaos', 'drop=0.5,slow=1', '--allow-private-file-urls']
    expect(readCommandLine([...flags, ...hook, ...more])).toEqual({
      port: 0,
      host: '::1',
      json: true,
      options: {
        speed: 0.5,
        seed: 3,
        data: 'x.db',
        allowPrivateFileUrls: true,
        chaos: { sending: { drop: 0.5 }, answering: { slow: 1 } },
      },
      webhook: { name: 'default', url: 'http://127.0.0.1:1/', secret: 'x' },
    })
    expect(readCommandLine(['--chaos', 'heavy'])).toMatchObject({ options: { chaos: 'heavy' } })
  })

  it('exits 2 for invalid input, SANDBOX_PORT included', async () => {
    const { exitCode, faults, output } = await runProcess([], { SANDBOX_PORT: 'none' })
    expect([exitCode, output]).toEqual([2, ''])
    expect(faults).toContain('SANDBOX_PORT')
  })

  it('reports a port in use, and exits 1', async () => {
    const server = await startFarSide(() => 'cut')
    const { port } = new URL(server.url)
    const { exitCode, faults } = await runProcess(['--port', port])
    await server.close()
    expect(exitCode).toBe(1)
    expect(faults).toBe(
      `Cannot listen on port ${port} of 127.0.0.1: another program listens there; stop it, or choose another --port, or 0 for a free one.\n`,
    )
  })

  it('reports an unusable data file, and exits 1', async () => {
    const { exitCode, faults } = await runProcess(['--port', '0', '--data', import.meta.filename])
    expect(exitCode).toBe(1)
    expect(faults).toBe(
      `The data file ${import.meta.filename} cannot be used: file is not a database; choose another --data.\n`,
    )
  })

  it('escapes terminal control characters', async () => {
    const { faults } = await runProcess([
      '--port',
      '0',
      '--data',
      `${import.meta.dirname}/none/\u{202e}evil\u{1b}[2J.db`,
    ])
    expect(faults).toContain(String.raw`\u202eevil\u001b[2J.db`)
    expect(faults).not.toContain('\u{202e}')
    expect(faults).not.toContain('\u{1b}')
  })

  it('prints each event as a line of JSON with --json, and survives a closed output', async () => {
    const child = spawn(process.execPath, [
      ...argumentsFor('packages/sandbox/src/main.ts'),
      '--port',
      '0',
      '--speed',
      '0',
      '--json',
    ])
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    const lines = () =>
      output
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    try {
      const [first] = await until('the first line', () => (lines().length > 0 ? lines() : undefined))
      expect(first).toMatchObject({ kind: 'listening', url: expect.any(String), organizations: [{ id: 'org_demo' }] })
      await callJson(first, 'POST', '/prior-authorization', {})
      await until('both', () => lines().length === 3)
      expect(lines().slice(1)).toMatchObject([
        { kind: 'request', method: 'POST', path: '/prior-authorization', status: 422, code: 'validation_error' },
        { kind: 'refusal', status: 422 },
      ])
      child.stdout.destroy()
      for (const _ of [1, 2, 3]) expect((await callJson(first, 'GET', '/status')).status).toBe(200)
    } finally {
      child.kill('SIGKILL')
    }
  })

  it('explains an unknown, unreadable or failing scenario', async () => {
    const { url } = await startProcess('--speed', '0')
    const at = ['--port', new URL(url).port]
    const folder = await mkdtemp(join(tmpdir(), 'pawl-scenario-'))
    const wrong = join(folder, 'wrong.json')
    const failing = join(folder, 'failing.json')
    const create = { step: 'create', kind: 'prior_authorization', as: 'pa' }
    await writeFile(wrong, JSON.stringify({ summary: 'x', steps: [{ step: 'psh' }] }))
    await writeFile(failing, JSON.stringify({ summary: 'x', steps: [create], ends: { pa: { status: 'completed' } } }))
    const [unknown, missing, misspelt, failed] = await Promise.all([
      runProcess(['trigger', 'no-such-scenario', ...at]),
      runProcess(['trigger', join(folder, 'none.json'), ...at]),
      runProcess(['trigger', wrong, ...at]),
      runProcess(['trigger', failing, ...at]),
    ])
    await rm(folder, { recursive: true })
    expect([unknown, missing, misspelt, failed].map(({ exitCode }) => exitCode)).toEqual([1, 1, 1, 1])
    expect(unknown.faults).toMatch(/^There is no scenario no-such-scenario; use one of: approved-with-transfer, /)
    expect(missing.faults).toContain('none.json does not exist.')
    expect(misspelt.faults).toContain('wrong.json: step 1: step must be one of create, push, ')
    expect(failed.output).toContain('ends: pa.status is "created", not "completed"')
  })

  it('prints and follows the requests of a running sandbox, and shows one whole', async () => {
    const at = await startProcess('--speed', '0')
    const port = ['--port', new URL(at.url).port]
    await callJson(at, 'POST', '/benefit-verification', { note: 'one' })
    const follower = spawn(process.execPath, [
      ...argumentsFor('packages/sandbox/src/main.ts'),
      'logs',
      '--follow',
      '--status',
      '4xx',
      ...port,
    ])
    let followed = ''
    follower.stdout.setEncoding('utf8').on('data', (text: string) => (followed += text))
    try {
      await until('the first', () => /422 {2}POST {2}\/benefit-verification {2}validation_error {2}#1\n/.test(followed))
      await callJson(at, 'GET', '/status')
      await callJson(at, 'GET', '/pa-status/none')
      await until('the next', () => /404 {2}GET {3}\/pa-status\/none {2}not_found {2}#3\n/.test(followed))
      expect(followed).not.toContain('#2')
    } finally {
      follower.kill('SIGKILL')
    }
    const listed = await runProcess(['logs', '--limit', '1', '--json', ...port])
    expect(JSON.parse(listed.output)).toMatchObject({ id: 3, status: 404, code: 'not_found' })
    const { output } = await runProcess(['logs', '1', ...port])
    expect(output).toContain('"note": "one"')
    expect(output).toContain('"detail": [')
    expect(output).toContain('Authorization: Bearer $TOKEN')
    expect(output).not.toContain(at.token)
    const { exitCode, faults } = await runProcess(['logs', '99', ...port])
    expect([exitCode, faults]).toEqual([1, expect.stringContaining('There is no request 99')])
  })

  it('explains a missing sandbox, and a foreign server on its port', async () => {
    const server = await startFarSide(() => ({ status: 404, body: { detail: 'Not Found' } }))
    const [nobody, stranger] = await Promise.all([
      runProcess(['trigger', 'rough-road', '--port', '1']),
      runProcess(['trigger', 'rough-road', '--port', new URL(server.url).port]),
    ])
    await server.close()
    expect([nobody.exitCode, stranger.exitCode]).toEqual([1, 1])
    expect(nobody.faults).toBe(
      'Nothing answers at http://127.0.0.1:1. Start a sandbox in another terminal with npm run sandbox (or npx pawl sandbox), or pass its port with --port.\n',
    )
    expect(stranger.faults).toContain('is not a sandbox (404)')
  })
})
