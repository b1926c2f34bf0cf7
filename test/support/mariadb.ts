import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createConnection } from 'mysql2/promise'
import { describe } from 'vitest'
import { atExit } from './at-exit.ts'
import { needs } from './needs.ts'
import { freePort } from './spawn-pawl.ts'
import { pauseProcess } from './pause-process.ts'
import { until } from './until.ts'

const execute = promisify(execFile)

/** A real MariaDB on 127.0.0.1, in a folder of its own. */
export interface TestMariadb {
  /** The address of a new, empty database. */
  createDatabase(): Promise<string>
  /** Runs statements as the user who may do everything. */
  ask(url: string, ...statements: string[]): Promise<void>
  /** Freezes it: connections stay open, and nothing answers. */
  pause(): void
  resume(): void
  close(): Promise<void>
}

const mariadbd = needs('mariadbd', { package: 'mariadb-server', folders: ['/usr/sbin'] })
const installer = needs('mariadb-install-db', { package: 'mariadb-server' })

/** `describe` where MariaDB is installed. */
export const describeWithMariadb = describe.skipIf(mariadbd === undefined || installer === undefined)

/** MariaDB refuses to run as root: then it runs as the user whom its package made for it. */
async function unprivileged(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  const id = async (flag: string) => Number((await execute('id', [flag, 'mysql'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}

/** Starts a MariaDB that does not outlive the tests. */
export async function startMariadb(): Promise<TestMariadb> {
  if (mariadbd === undefined || installer === undefined)
    throw new Error('MariaDB is not installed: use describeWithMariadb')
  const user = await unprivileged()
  const folder = await mkdtemp(join(tmpdir(), 'pawl-mariadb-'))
  const data = join(folder, 'data')
  const firstStatements = join(folder, 'first.sql')
  await writeFile(
    firstStatements,
    "create or replace user pawl@'127.0.0.1' identified by 'of tests only';\ngrant all on *.* to pawl@'127.0.0.1' with grant option;\n",
  )
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid)
  const where = ['--no-defaults', `--datadir=${data}`]
  await execute(
    installer,
    [...where, '--auth-root-authentication-method=normal', '--skip-test-db', '--skip-name-resolve'],
    {
      ...user,
      cwd: folder,
    },
  )
  const port = await freePort()
  const args = [
    ...where,
    '--bind-address=127.0.0.1',
    `--port=${port}`,
    `--socket=${join(folder, 'socket')}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--init-file=${firstStatements}`,
    '--skip-name-resolve',
    '--innodb-flush-log-at-trx-commit=0',
  ]
  const server: ChildProcess = spawn(mariadbd, args, { ...user, cwd: folder, stdio: 'ignore' })
  const killNow = () => void server.kill('SIGKILL')
  const stay = atExit(killNow)
  const urlOf = (database: string) => `mysql://pawl:of%20tests%20only@127.0.0.1:${port}/${database}`
  let databases = 0

  async function ask(url: string, ...statements: string[]): Promise<void> {
    const connection = await createConnection({ uri: url, connectTimeout: 20_000 })
    try {
      for (const statement of statements) await connection.query(statement)
    } finally {
      await connection.end()
    }
  }

  async function close(): Promise<void> {
    stay()
    if (server.exitCode === null && server.signalCode === null) {
      const gone = once(server, 'exit')
      server.kill('SIGKILL')
      await gone
    }
    await rm(folder, { recursive: true, force: true })
  }

  try {
    await until('MariaDB answers', () =>
      ask(urlOf(''), 'select 1').then(
        () => true,
        () => false,
      ),
    )
  } catch (error) {
    await close()
    throw error
  }
  return {
    async createDatabase() {
      databases += 1
      await ask(urlOf(''), `create database test_${databases} character set utf8mb4`)
      return urlOf(`test_${databases}`)
    },
    ask,
    pause: () => pauseProcess(server),
    resume: () => void server.kill('SIGCONT'),
    close,
  }
}
