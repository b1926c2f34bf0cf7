import { dirname } from 'node:path'
import { type Kysely, sql } from 'kysely'
import type { Config } from '../../settings/read-config.ts'
import { systemCodeOf } from '@pawl/base/errors'
import { isUnfinishedCopy } from '@pawl/ledger/upkeep/copy/unfinished-copy'
import { type DiskRoom, readDiskRoom } from '@pawl/ledger/upkeep/disk-room'
import { openToRead } from '@pawl/ledger/open-to-read'
import { sealContext } from '@pawl/ledger/sealing/seal-context'
import { createSeal, SealBroken } from '@pawl/ledger/sealing/seal'
import type { Tables } from '@pawl/ledger/tables'
import type { AnyHandler } from '../../work/handler.ts'
import { examineHandlers } from './examine-handlers.ts'
import { examineLedgerFile, nearestFolder } from './examine-ledger-file.ts'
import { examineWebhooks } from './examine-webhooks.ts'
import { fail, type Finding, ok, warn } from './finding.ts'

const area = 'ledger'

/** Checks the ledger, and the handlers' work in it, without writing. A running pawl may have it open. */
export async function examineLedger(
  { databaseUrl, ...sealing }: Pick<Config, 'databaseUrl' | 'sealingKeys' | 'acceptsPlain'>,
  handlers: readonly AnyHandler[],
): Promise<Finding[]> {
  const isFile = databaseUrl.startsWith('file:')
  const path = databaseUrl.slice('file:'.length)
  const disk = isFile ? examineRoom(await readDiskRoom(nearestFolder(dirname(path)))) : []
  if (isFile) {
    const { finding, mayOpen } = examineLedgerFile(path)
    if (!mayOpen) return [finding, ...disk]
  }
  try {
    const { db, close } = openToRead(databaseUrl)
    try {
      return [...(await examineDatabase(db, { isFile, sealing, handlers })), ...disk]
    } finally {
      await close()
    }
  } catch (error) {
    return [describeFailure(error, isFile), ...disk]
  }
}

/** Whether the ledger's disk has room. */
export function examineRoom(room: DiskRoom | undefined): Finding[] {
  if (room === undefined || room.state === 'enough') return []
  const says = `Its disk has ${Math.floor(room.freeBytes / 1024 / 1024)} MB left.`
  const todo = 'Delete old logs and backups, no file of the ledger, or use a larger disk.'
  return [room.state === 'full' ? fail(area, `${says} pawl refuses deliveries.`, todo) : warn(area, says, todo)]
}

interface Deps {
  isFile: boolean
  sealing: Pick<Config, 'sealingKeys' | 'acceptsPlain'>
  handlers: readonly AnyHandler[]
}

async function examineDatabase(db: Kysely<Tables>, { isFile, sealing, handlers }: Deps): Promise<Finding[]> {
  const server = isFile ? 'SQLite' : 'PostgreSQL'
  if (await isUnfinishedCopy(db))
    return [fail(area, 'It is an unfinished copy.', 'Finish it with "pawl ledger copy" before you start pawl.')]
  const tables = (await db.introspection.getTables()).map(({ name }) => name)
  const isLedger = tables.includes('events') && tables.includes('states')
  if (!isFile && !(await mayWrite(db, isLedger)))
    return [
      fail(
        area,
        'The user of DATABASE_URL may not write there.',
        'Let it create tables there, or name the primary server and the owner of the tables.',
      ),
    ]
  if (!isLedger && tables.length > 0 && isFile)
    return [fail(area, 'Its file is the database of another program.', 'Set DATABASE_URL to another path.')]
  if (!isLedger) return [ok(area, `${server} answers; pawl creates its tables when it starts.`)]
  const broken = await findBrokenSeal(db, sealing)
  return [
    broken ?? ok(area, `${server} answers, and its content is readable.`),
    ...(await examineHandlers(db, handlers)),
    ...(await examineWebhooks(db, Date.now())),
  ]
}

/** PostgreSQL only. A new version changes the tables, which takes the rights of their owner. */
async function mayWrite(db: Kysely<Tables>, isLedger: boolean): Promise<boolean> {
  const privilege = isLedger
    ? sql`(select pg_has_role(relowner, 'usage') and has_schema_privilege(relnamespace, 'create')
        from pg_class where oid = 'events'::regclass)`
    : sql`coalesce(has_schema_privilege(current_schema(), 'create'), false)`
  const { rows } = await sql<{ may: boolean }>`select ${privilege} and not pg_is_in_recovery() as may`.execute(db)
  return rows[0]?.may === true
}

/** Opens the oldest and the newest body: keys are added and removed at the ends. */
async function findBrokenSeal(
  db: Kysely<Tables>,
  { sealingKeys, acceptsPlain }: Deps['sealing'],
): Promise<Finding | undefined> {
  const seal = createSeal(sealingKeys, { acceptsPlain })
  for (const order of ['asc', 'desc'] as const) {
    const event = await db
      .selectFrom('events')
      .select(['resource_id', 'fingerprint', 'body'])
      .orderBy('id', order)
      .limit(1)
      .executeTakeFirst()
    try {
      if (event !== undefined && event.body.length > 0)
        seal.open(event.body, sealContext.body(event.resource_id, event.fingerprint))
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
      if (event !== undefined && seal.keyOf(event.body) === 'none')
        return fail(
          area,
          'Bodies in it are not sealed, though SEALING_KEYS is set.',
          'If they were stored before there was a key, set SEALING=turning_on, restart and run "pawl keys rotate"; otherwise the database was altered.',
        )
      return fail(
        area,
        'Bodies in it are sealed with a key that SEALING_KEYS does not list.',
        'Add that key behind the others.',
      )
    }
  }
  return undefined
}

function describeFailure(error: unknown, isFile: boolean): Finding {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code === 'SQLITE_NOTADB')
    return fail(area, 'Its file is no SQLite database.', 'Set DATABASE_URL to another path, or move that file away.')
  const known = systemCodeOf(error) ?? (/^\w{5}$/.test(code) ? code : 'no answer')
  if (isFile)
    return fail(
      area,
      `Its file cannot be read (${known}).`,
      'Run this as the user that pawl runs as; else restore a backup.',
    )
  return fail(
    area,
    `PostgreSQL at DATABASE_URL cannot be used (${known}).`,
    'Start that server, correct DATABASE_URL, or let this machine connect there.',
  )
}
