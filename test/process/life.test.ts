import { spawnSync } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startFarSide } from '../../packages/testing/src/far-side.ts'
import { needs } from '../support/needs.ts'
import { type PawlProcesses, preparePawl } from '../support/pawl-processes.ts'
import { spawnPawl } from '../support/spawn-pawl.ts'
import { countFilters, unitFilter } from '../support/unit-filter.ts'
import { deliver, envelope } from '../support/webhook.ts'

/** Permissions do not bind root: a command that becomes another user who can read the sources, or nothing where this user is not root; `undefined` where root cannot. */
const unprivileged = ((): readonly string[] | undefined => {
  if (process.getuid?.() !== 0) return []
  const command = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
  const [program = '', ...args] = command
  const canRead = ['-e', `fs.readFileSync('${import.meta.filename}')`]
  return spawnSync(program, [...args, process.execPath, ...canRead]).status === 0 ? command : undefined
})()

const unshare = needs('unshare', { package: 'util-linux' })
/** A folder that cannot be written to, in a mount namespace that ends with the process. */
const readOnly = ['-m', 'sh', '-c', 'mount -t tmpfs -o ro tmpfs "$0" && exec "$@"']
const mayMount = unshare !== undefined && spawnSync(unshare, [...readOnly, '/mnt', 'true']).status === 0

let pawls: PawlProcesses
beforeEach(async () => {
  pawls = await preparePawl()
})
afterEach(() => pawls.close())

describe('the pawl process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('stops on %s and exits 0', async (signal) => {
    const running = await pawls.start()
    expect(await running.end(signal)).toBe(0)
    expect(running.output()).toContain('"stopped"')
  })

  it('stops amid deliveries, and keeps what it acknowledged for the next start, under the filters of its systemd unit', async () => {
    const running = await pawls.start({}, { under: unitFilter })
    expect(unitFilter.length === 0 || (await countFilters(running.child.pid)) > (await countFilters())).toBe(true)
    const sent = Array.from({ length: 100 }, (_, n) =>
      deliver(pawls.url, envelope({ id: `pa_req_${n}`, status: 'hint' })).then(
        ({ status }) => status,
        () => 0, // cut off by the stop: the service sends it again
      ),
    )
    await sent[10]
    running.child.kill('SIGTERM')
    const stored = (await Promise.all(sent)).filter((status) => status === 202).length
    expect(await running.exited).toBe(0)
    expect(stored).toBeGreaterThan(0)
    // A delivery stored as the stop cut its connection was not acknowledged.
    expect(running.output().match(/"status":"stored"/g)?.length).toBeGreaterThanOrEqual(stored)
  })

  it('exits 2 with every fault of the settings, by name and never by value', async () => {
    const running = spawnPawl({ WEBHOOK_SECRETS: 'half-a-secret,', PORT: 'no-port' })
    expect(await running.exited).toBe(2)
    for (const name of ['WEBHOOK_SECRETS', 'PORT', '.env.example']) expect(running.output()).toContain(name)
    expect(running.output()).not.toContain('half-a-secret')
    expect(running.output()).not.toContain('    at ')
  })

  it('exits 2 when a character of the password in DATABASE_URL is not percent-encoded, without printing it', async () => {
    const running = pawls.spawn({ DATABASE_URL: 'postgres://pawl:half#canary@127.0.0.1:9/pawl' })
    expect(await running.exited).toBe(2)
    expect(running.output()).toContain('DATABASE_URL: cannot be read as an address')
    expect(running.output()).not.toMatch(/half|canary/)
  })

  it('names the limit of open files when it is low', async () => {
    const running = await pawls.start({}, { under: ['sh', '-c', 'ulimit -n 512; exec "$0" "$@"'] })
    expect(running.output()).toContain('this process may have 512 files and connections open (ulimit -n)')
    expect(await running.end('SIGTERM')).toBe(0)
  })

  it('exits 1 with advice when no server answers at DATABASE_URL', async () => {
    const running = pawls.spawn({ DATABASE_URL: 'postgres://pawl@127.0.0.1:9/pawl' })
    expect(await running.exited).toBe(1)
    expect(running.output()).toContain('The database of DATABASE_URL cannot be used')
    expect(running.output()).toContain('ECONNREFUSED')
    expect(running.output()).not.toContain('    at ')
  })

  describe('the pawl process with an unusable file at DATABASE_URL', () => {
    let room: string
    beforeEach(() => {
      room = pawls.folder
    })

    async function expectRefusal(path: string, said: string, under: readonly string[] = []): Promise<void> {
      const pawl = pawls.spawn({ DATABASE_URL: `file:${path}` }, { under })
      expect(await pawl.exited).toBe(2)
      expect(pawl.output()).toContain(`The ledger cannot be opened at DATABASE_URL: ${said}`)
      // A setting is never named by its value.
      expect(pawl.output()).not.toContain(path)
      expect(pawl.output()).not.toContain('    at ')
    }

    // Making a folder there fails as if its parent were missing.
    it.skipIf(process.platform !== 'linux')('exits 2 when its folder can never be made', () =>
      expectRefusal('/proc/nothing/below/pawl.db', 'its folder cannot be created'),
    )

    it('exits 2 when its folder is a file', async () => {
      await writeFile(join(room, 'file'), '')
      await expectRefusal(join(room, 'file', 'pawl.db'), 'its folder cannot be created')
    })

    it('exits 2 when it is a folder', () => expectRefusal(room, 'it leads to a folder'))

    it('exits 2 when it is no database', async () => {
      await writeFile(join(room, 'notes'), 'no database at all'.repeat(100))
      await expectRefusal(join(room, 'notes'), 'its file is not a SQLite database')
    })

    // CI cannot be told to have it: mounting is a privilege of the runner, not a package.
    it.skipIf(!mayMount)('exits 1 when it is mounted read-only, so that its supervisor starts it again', async () => {
      const pawl = pawls.spawn({}, { under: [unshare ?? '', ...readOnly, room] })
      expect(await pawl.exited).toBe(1)
      expect(pawl.output()).toContain('The ledger cannot be opened at DATABASE_URL: its folder cannot be written to')
      expect(pawl.output()).toContain('EROFS')
      expect(pawl.output()).not.toContain('    at ')
    })

    it.skipIf(unprivileged === undefined)(
      'exits 2 when its folder belongs to another user',
      async () => {
        await chmod(room, 0o555)
        await expectRefusal(join(room, 'pawl.db'), 'its folder cannot be written to', unprivileged)
        await expectRefusal(join(room, 'data', 'pawl.db'), 'its folder cannot be created', unprivileged)
      },
      120_000,
    )

    it.skipIf(unprivileged === undefined)('exits 2 when it belongs to another user', async () => {
      await chmod(room, 0o777)
      await writeFile(join(room, 'pawl.db'), '', { mode: 0o400 })
      await expectRefusal(join(room, 'pawl.db'), 'its file cannot be read and written', unprivileged)
    })
  })

  it.each(['PORT', 'ADMIN_PORT'])('exits 1 and says what to do when its %s is taken', async (setting) => {
    const other = await startFarSide(() => 'cut')
    const { port } = new URL(other.url)
    const running = pawls.spawn({ [setting]: port })
    expect(await running.exited).toBe(1)
    expect(running.output()).toContain(`something else listens on port ${port} of 127.0.0.1`)
    expect(running.output()).toContain(`set ${setting} to another port`)
    await other.close()
  })
})
