import { spawn, spawnSync, execFile, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, describe } from 'vitest'
import { needs } from './needs.ts'
import { freePort } from './spawn-pawl.ts'
import { until } from './until.ts'

const execute = promisify(execFile)

/** A real PostgreSQL on 127.0.0.1, in a folder of its own. */
export interface TestPostgres {
  /** The address of a new, empty database. */
  createDatabase(): Promise<string>
  /** Drops those it made, with their connections. */
  dropDatabases(): Promise<void>
  /** Kills it as a power cut would; what was committed stays. */
  kill(): Promise<void>
  /** Starts it again on the same port, with the same data. */
  start(): Promise<void>
  /** Freezes every process of it: connections stay open, and nothing answers. */
  pause(): void
  resume(): void
  /** Cuts every connection but the one that asks. */
  cutConnections(): Promise<void>
  close(): Promise<void>
}

/** Debian keeps the server's programs out of the path. */
function programFolders(): string[] {
  try {
    return readdirSync('/usr/lib/postgresql').map((version) => join('/usr/lib/postgresql', version, 'bin'))
  } catch {
    return []
  }
}

const initdb = needs('initdb', { package: 'postgresql', folders: programFolders() })

/** `describe` where PostgreSQL is installed. */
export const describeWithPostgres = describe.skipIf(initdb === undefined)

let ofWorker: Promise<TestPostgres> | undefined

/** `describe` where PostgreSQL is installed; `createDatabase` makes databases on one server for all files of a test worker, dropped after the tests. */
export function describeOnPostgres(name: string, tests: (createDatabase: () => Promise<string>) => void): void {
  describeWithPostgres(name, () => {
    afterAll(async () => (await ofWorker)?.dropDatabases())
    tests(async () => (await (ofWorker ??= startPostgres())).createDatabase())
  })
}

/** PostgreSQL refuses to run as root: then it runs as the user whom its package made for it. */
async function unprivileged(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  const id = async (flag: string) => Number((await execute('id', [flag, 'postgres'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
  return stdout.split('\n').filter(Boolean).map(Number)
}

function killIfThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It ended by itself in the meantime.
  }
}

/** Starts a PostgreSQL that does not outlive the tests, with its data in a new folder below `parent`. */
export async function startPostgres({ parent = tmpdir(), isDurable = false } = {}): Promise<TestPostgres> {
  if (initdb === undefined) throw new Error('PostgreSQL is not installed: use describeWithPostgres')
  const user = await unprivileged()
  const folder = await mkdtemp(join(parent, 'pawl-postgres-'))
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid)
  await execute(initdb, ['-D', folder, '-U', 'pawl', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...user,
    cwd: folder,
  })
  const port = await freePort()
  const program = initdb.replace(/initdb$/, 'postgres')
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: folder,
    max_connections: 200,
    fsync: isDurable ? 'on' : 'off',
  }
  const args = ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  let server: ChildProcess | undefined
  let databases = 0
  let dropped = 0

  async function ask(database: string, ...texts: string[]): Promise<void> {
    const client = new Client({ host: '127.0.0.1', port, user: 'pawl', database, connectionTimeoutMillis: 20_000 })
    client.on('error', () => {})
    await client.connect()
    try {
      for (const text of texts) await client.query(text)
    } finally {
      await client.end()
    }
  }

  const isRunning = () => server !== undefined && server.exitCode === null && server.signalCode === null

  async function start(): Promise<void> {
    const answers = () => {
      // It ends at once while a child of the one that was killed is not gone yet.
      if (!isRunning()) server = spawn(program, args, { ...user, cwd: folder, stdio: 'ignore' })
      return ask('postgres', 'select 1').then(
        () => true,
        () => false,
      )
    }
    await until('PostgreSQL answers', answers)
  }

  function signal(name: NodeJS.Signals): void {
    if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return
    // Each child of the server leads a process group of its own, which no signal to the server reaches.
    for (const pid of [server.pid, ...childrenOf(server.pid)]) killIfThere(pid, name)
  }

  async function kill(): Promise<void> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const gone = once(server, 'exit')
    signal('SIGKILL')
    await gone
    await rm(join(folder, 'postmaster.pid'), { force: true })
  }

  const killNow = () => {
    signal('SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', killNow)
  await start()
  return {
    async createDatabase() {
      databases += 1
      await ask('postgres', `create database test_${databases}`)
      return `postgres://pawl@127.0.0.1:${port}/test_${databases}`
    },
    async dropDatabases() {
      const drops = Array.from(
        { length: databases - dropped },
        (_, n) => `drop database test_${dropped + n + 1} with (force)`,
      )
      dropped = databases
      await ask('postgres', ...drops)
    },
    kill,
    start,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    cutConnections: () =>
      ask(
        'postgres',
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null',
      ),
    async close() {
      signal('SIGCONT')
      await kill()
      process.off('exit', killNow)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
