import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, link, rm } from 'node:fs/promises'
import { Sqlite } from '@pawl/base/sqlite'
import { PawlError, systemCodeOf } from '@pawl/base/errors'

/** The backup failed, and no file was written. */
class BackupFailed extends PawlError {
  readonly code = 'backup_failed'
}

export interface BackupOptions {
  /** The file to write; must not exist. */
  to: string
  /** Base environment of pg_dump; the connection is added to it. */
  env: Readonly<Record<string, string | undefined>>
  /** Progress in pages of the file; SQLite only. */
  onProgress?: ((progress: { done: number; total: number }) => void) | undefined
}

/** Pages copied at once: few enough not to delay a busy pawl. */
const pagesAtOnce = 2_000

/** Backs a ledger up into an owner-only file, as of one moment, while pawl runs: a database for SQLite, input of `pg_restore` for PostgreSQL. The file gets its name only when complete. Throws `BackupFailed`. */
export async function backUpLedger(databaseUrl: string, { to, env, onProgress }: BackupOptions): Promise<void> {
  if (existsSync(to)) throw new BackupFailed(`${to} already exists: name another file.`)
  const unfinished = `${to}.unfinished`
  await rm(unfinished, { force: true })
  const mask = process.umask(0o077)
  try {
    await (databaseUrl.startsWith('file:')
      ? copyFile(databaseUrl.slice('file:'.length), unfinished, onProgress)
      : dump(databaseUrl, { to: unfinished, env }))
    await chmod(unfinished, 0o600)
    // Not a rename, which would overwrite a file created meanwhile.
    await link(unfinished, to)
  } catch (error) {
    if (error instanceof PawlError) throw error
    const why = systemCodeOf(error) ?? (error instanceof Error ? error.message : 'unexpected')
    throw new BackupFailed(`${to} was not written: ${why}.`, { cause: error })
  } finally {
    process.umask(mask)
    await rm(unfinished, { force: true })
  }
}

async function copyFile(path: string, to: string, onProgress: BackupOptions['onProgress']): Promise<void> {
  if (!existsSync(path)) throw new BackupFailed(`${path} does not exist: is DATABASE_URL pawl's own?`)
  const database = new Sqlite(path, { readonly: true, timeout: 5_000 })
  try {
    await database.backup(to, {
      progress({ totalPages, remainingPages }) {
        onProgress?.({ done: totalPages - remainingPages, total: totalPages })
        return pagesAtOnce
      },
    })
  } finally {
    database.close()
  }
  const copy = new Sqlite(to)
  try {
    const says = copy.pragma('integrity_check', { simple: true })
    if (says !== 'ok') throw new BackupFailed(`The copy is not sound (${String(says)}): run pawl ledger check.`)
  } finally {
    copy.close()
  }
}

async function dump(databaseUrl: string, { to, env }: Pick<BackupOptions, 'to' | 'env'>): Promise<void> {
  // The rate limit state is learned again, and belongs in no backup.
  const child = spawn('pg_dump', ['--format=custom', '--no-unlogged-table-data', `--file=${to}`], {
    // Not as an argument, which every user of the machine could read.
    env: { ...env, ...connectionOf(new URL(databaseUrl)) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-500)))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve)
  }).catch((error: unknown) => {
    if (systemCodeOf(error) !== 'ENOENT') throw error
    throw new BackupFailed('pg_dump was not found: install the client programs of PostgreSQL (postgresql-client).')
  })
  if (code !== 0) throw new BackupFailed(`pg_dump could not read the ledger: ${said.trim()}`)
}

/** The environment variables that libpq reads. */
function connectionOf(url: URL): Record<string, string> {
  const given = {
    PGHOST: url.searchParams.get('host') ?? decodeURIComponent(url.hostname),
    PGPORT: url.port,
    PGUSER: decodeURIComponent(url.username),
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: decodeURIComponent(url.pathname.slice(1)),
    PGSSLMODE: url.searchParams.get('sslmode') ?? '',
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
}
