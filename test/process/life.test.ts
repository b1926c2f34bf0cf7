import { createServer } from 'node:http'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type PawlProcess, spawnPawl } from '../support/spawn-pawl.ts'
import { testEnvironment } from '../support/start-test-gateway.ts'
import { deliver, envelope } from '../support/webhook.ts'

let pawl: PawlProcess | undefined
let folder: string | undefined

afterEach(async () => {
  pawl?.child.kill('SIGKILL')
  await pawl?.exited
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  folder = undefined
})

async function start(env: Record<string, string> = {}): Promise<PawlProcess> {
  const settings = await testEnvironment({ LOG_LEVEL: 'info', ...env })
  folder = dirname(settings.DATABASE_URL?.slice('file:'.length) ?? '')
  pawl = spawnPawl(settings)
  return pawl
}

describe('the process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('stops on %s and exits 0', async (signal) => {
    const running = await start()
    await running.ready()
    running.child.kill(signal)
    expect(await running.exited).toBe(0)
    expect(running.output()).toContain('"stopped"')
  })

  it('stops while deliveries come in, and what it acknowledged is there after the next start', async () => {
    const running = await start()
    await running.ready()
    const url = /"address":"(http[^"]+)\/webhooks"/.exec(running.output())?.[1] ?? ''
    const sent = Array.from({ length: 100 }, (_, n) =>
      deliver(url, envelope({ id: `pa_req_${n}`, status: 'hint' })).then(
        ({ status }) => status,
        () => 0, // cut off by the stop: the service sends it again
      ),
    )
    await sent[10]
    running.child.kill('SIGTERM')
    const stored = (await Promise.all(sent)).filter((status) => status === 202).length
    expect(await running.exited).toBe(0)
    expect(stored).toBeGreaterThan(0)
    // What was stored as the stop cut its connection was not acknowledged.
    expect(running.output().match(/"status":"stored"/g)?.length).toBeGreaterThanOrEqual(stored)
  })

  it('exits 2 with every fault of the settings, by name and never by value', async () => {
    const running = spawnPawl({ WEBHOOK_SECRETS: 'too-short-secret', PORT: 'no-port' })
    expect(await running.exited).toBe(2)
    for (const name of ['WEBHOOK_SECRETS', 'PORT', '.env.example']) expect(running.output()).toContain(name)
    expect(running.output()).not.toContain('too-short-secret')
    expect(running.output()).not.toContain('    at ')
  })

  it.each([
    ['no server', 'postgres://pawl@127.0.0.1:9/pawl', 'ECONNREFUSED'],
    ['another file', `file:${import.meta.filename}`, 'SQLITE_NOTADB'],
  ])('exits 1 and says where to look when there is %s at DATABASE_URL', async (_, databaseUrl, code) => {
    const running = spawnPawl(await testEnvironment({ DATABASE_URL: databaseUrl }))
    expect(await running.exited).toBe(1)
    expect(running.output()).toContain('The database of DATABASE_URL cannot be used')
    expect(running.output()).toContain(code)
    expect(running.output()).not.toContain('    at ')
  })

  it.each(['PORT', 'ADMIN_PORT'])('exits 1 and says what to do when its %s is taken', async (setting) => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo // a TCP server that listens has such an address
    const running = await start({ [setting]: String(port) })
    expect(await running.exited).toBe(1)
    expect(running.output()).toContain(`something else listens on port ${port} of 127.0.0.1`)
    expect(running.output()).toContain(`set ${setting} to another port`)
    other.close()
  })
})
