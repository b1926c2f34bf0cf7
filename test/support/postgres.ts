import { spawn, spawnSync, execFile, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rename, rm } from 'node:fs/promises'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, describe } from 'vitest'
import { openPostgres } from '../../packages/ledger/src/postgres/open-postgres.ts'
import { atExit } from './at-exit.ts'
import { needs } from './needs.ts'
import { buildVariable } from './run-script.ts'
import { freePort } from './spawn-pawl.ts'
import { until } from './until.ts'

const execute = promisify(execFile)

/** A real PostgreSQL on 127.0.0.1, in a folder of its own. */
export interface TestPostgres {
  port: number
  /** The address of a new, empty database. */
  createDatabase(): Promise<string>
  /** The address of a new database that has a ledger's tables, copied in a tenth of the time that it takes to create them. */
  createLedgerDatabase(): Promise<string>
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
const basebackup = needs('pg_basebackup', { package: 'postgresql', folders: programFolders() }) ?? 'pg_basebackup'

/** `describe` where PostgreSQL is installed. */
export const describeWithPostgres = describe.skipIf(initdb === undefined)

let ofWorker: Promise<TestPostgres> | undefined

/** `describe` where PostgreSQL is installed; both functions make databases on one server for all files of a test worker, dropped after the tests. */
export function describeOnPostgres(
  name: string,
  tests: (createLedgerDatabase: () => Promise<string>, createDatabase: () => Promise<string>) => void,
): void {
  const server = () => (ofWorker ??= startPostgres())
  describeWithPostgres(name, () => {
    afterAll(async () => (await ofWorker)?.dropDatabases())
    tests(
      async () => (await server()).createLedgerDatabase(),
      async () => (await server()).createDatabase(),
    )
  })
}

/** PostgreSQL refuses to run as root: then it runs as the user whom its package made for it. */
async function unprivileged(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  const id = async (flag: string) => Number((await execute('id', [flag, 'postgres'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}

/** Fills the folder with the files of an empty server, which are made once for all tests of a run. */
async function fill(folder: string, program: string, user: { uid?: number; gid?: number }): Promise<void> {
  // Empty where there shall be no build.
  const build = process.env[buildVariable] ?? ''
  const shared = build === '' ? undefined : join(build, 'postgres')
  const copy = (from: string, to: string) => execute('cp', ['-a', `${from}/.`, to])
  if (shared !== undefined && existsSync(shared)) return void (await copy(shared, folder))
  await execute(program, ['-D', folder, '-U', 'pawl', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...user,
    cwd: folder,
  })
  if (shared === undefined) return
  const own = await mkdtemp(`${shared}-`)
  await copy(folder, own)
  // At once, as other workers may read it, or have been faster.
  await rename(own, shared).catch(() => rm(own, { recursive: true }))
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

/** Fills the folder with a copy of the server on this port, from which it will stream all that comes. */
async function copyServer(folder: string, port: number, user: { uid?: number; gid?: number }): Promise<void> {
  const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'pawl']
  await execute(basebackup, ['-D', folder, ...from, '-R', '--checkpoint=fast', '--no-sync'], { ...user, cwd: folder })
}

export interface PostgresOptions {
  parent?: string
  isDurable?: boolean
  /** The port of a primary: the server is its read-only replica. */
  replicaOf?: number
}

/** Starts a PostgreSQL that does not outlive the tests, with its data in a new folder below `parent`. */
export async function startPostgres({
  parent = tmpdir(),
  isDurable = false,
  replicaOf,
}: PostgresOptions = {}): Promise<TestPostgres> {
  if (initdb === undefined) throw new Error('PostgreSQL is not installed: use describeWithPostgres')
  const user = await unprivileged()
  const folder = await mkdtemp(join(parent, 'pawl-postgres-'))
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid)
  if (replicaOf === undefined) await fill(folder, initdb, user)
  else await copyServer(folder, replicaOf, user)
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
  let template: Promise<string> | undefined

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
  const addressOf = (name: string) => `postgres://pawl@127.0.0.1:${port}/${name}`

  async function createDatabase(from = 'template1'): Promise<string> {
    databases += 1
    const name = `test_${databases}`
    // The other strategy, which writes each page to the log, takes half as much again.
    await ask('postgres', `create database ${name} template ${from} strategy file_copy`)
    return addressOf(name)
  }

  async function createTemplate(): Promise<string> {
    const name = 'ledger'
    await ask('postgres', `create database ${name}`)
    const { db } = await openPostgres(addressOf(name), () => {}, { forCopy: true })
    await db.destroy()
    return name
  }

  const stay = atExit(killNow)
  await start()
  return {
    port,
    createDatabase: () => createDatabase(),
    createLedgerDatabase: async () => createDatabase(await (template ??= createTemplate())),
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
      stay()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
