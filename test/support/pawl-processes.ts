import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type PawlProcess, type SpawnOptions, spawnPawl } from './spawn-pawl.ts'
import { testEnvironment } from './start-local-gateway.ts'

/** Processes of pawl on one ledger, which share settings and a folder. */
export interface PawlProcesses {
  folder: string
  databaseUrl: string
  /** The public listener of a process that has no port of its own. */
  url: string
  /** The settings of all. */
  env: Record<string, string>
  /** Starts one, with settings of its own; it may end at once. */
  spawn(this: void, env?: Record<string, string>, options?: SpawnOptions): PawlProcess
  /** Starts one and waits until it works. */
  start(this: void, env?: Record<string, string>, options?: SpawnOptions): Promise<PawlProcess>
  /** Kills those that still run, and removes the folder. */
  close(this: void): Promise<void>
}

/** Makes the folder, without any process yet; the ledger is a SQLite file in it unless `settings` name another. */
export async function preparePawl(settings: Record<string, string> = {}): Promise<PawlProcesses> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-processes-'))
  const databaseUrl = settings.DATABASE_URL ?? `file:${join(folder, 'pawl.db')}`
  const port = settings.PORT ?? String(await freePort())
  const env = await testEnvironment({ LOG_LEVEL: 'info', ...settings, DATABASE_URL: databaseUrl, PORT: port })
  const processes = new Set<PawlProcess>()

  function spawn(own: Record<string, string> = {}, options?: SpawnOptions): PawlProcess {
    const pawl = spawnPawl({ ...env, ...own }, options)
    processes.add(pawl)
    return pawl
  }

  return {
    folder,
    databaseUrl,
    url: `http://127.0.0.1:${port}`,
    env,
    spawn,
    async start(own, options) {
      const pawl = spawn(own, options)
      await pawl.ready()
      return pawl
    },
    async close() {
      await Promise.all([...processes].map((pawl) => pawl.end('SIGKILL')))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
