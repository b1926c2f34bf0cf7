import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readCommandLine } from '../../src/sandbox/command-line.ts'
import { until } from '../support/until.ts'
import { startReceiver } from './receiver.ts'
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

  it('sends the webhook that it was told of, and misbehaves as told', async () => {
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
  ])('says what is wrong with %s', (args, said) => {
    const printed: string[] = []
    expect(readCommandLine(args, (text) => printed.push(text))).toEqual({ exitCode: 2 })
    expect(printed.join('')).toContain(said)
  })

  it('reads every flag', () => {
    const hook = ['--webhook-url', 'http://127.0.0.1:1/', '--webhook-secret', 'x']
    const flags = ['--port', '0', '--host', '::1', '--speed', '0.5', '--seed', '3', '--data', 'x.db', '--quiet']
    const more = ['--chaos', 'drop=0.5,slow=1', '--allow-private-file-urls']
    expect(readCommandLine([...flags, ...hook, ...more])).toEqual({
      port: 0,
      host: '::1',
      output: 'quiet',
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

  it('ends with 2 for what it cannot read, SANDBOX_PORT included', async () => {
    const { exitCode, faults, output } = await runProcess([], { SANDBOX_PORT: 'none' })
    expect([exitCode, output]).toEqual([2, ''])
    expect(faults).toContain('SANDBOX_PORT')
  })

  it('tells that the port is in use, and ends with 1', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    // The compiler cannot see that a server on a TCP port has no other kind of address.
    const { port } = server.address() as AddressInfo
    const { exitCode, faults } = await runProcess(['--port', String(port)])
    server.close()
    expect(exitCode).toBe(1)
    expect(faults).toBe(
      `Cannot listen on port ${port} of 127.0.0.1: something else listens there; end it, or choose another --port, or 0 for a free one.\n`,
    )
  })

  it('tells what is wrong with a data file, and ends with 1', async () => {
    const { exitCode, faults } = await runProcess(['--port', '0', '--data', import.meta.filename])
    expect(exitCode).toBe(1)
    expect(faults).toBe(
      `The data file ${import.meta.filename} cannot be used: file is not a database; choose another --data.\n`,
    )
  })

  it('explains its options', () => {
    let output = ''
    expect(readCommandLine(['--help'], (text) => (output += text))).toEqual({ exitCode: 0 })
    for (const flag of ['--port', '--host', '--speed', '--seed', '--data', '--webhook-url', '--chaos', '--quiet'])
      expect(output).toContain(flag)
  })
})
