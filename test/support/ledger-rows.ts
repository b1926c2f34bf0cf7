import { Client } from 'pg'
import { Sqlite } from '../../packages/base/src/sqlite.ts'
import { type JournalRun, readEntry } from '../../packages/ledger/src/hot/journal-rows.ts'
import { readStateDocument } from '../../packages/ledger/src/hot/state-document.ts'
import { createFingerprint } from '../../packages/ledger/src/sealing/digest-key.ts'
import { sealContext } from '../../packages/ledger/src/sealing/seal-context.ts'
import { createSeal } from '../../packages/ledger/src/sealing/seal.ts'
import { until } from './until.ts'

/** Reads a ledger from outside, while and after its processes use it. */
export interface LedgerRows {
  /** The rows that the question answers; bytes come as Buffers. */
  ask(question: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

export async function openLedgerRows(databaseUrl: string): Promise<LedgerRows> {
  if (databaseUrl.startsWith('file:')) {
    const database = new Sqlite(databaseUrl.slice('file:'.length), { readonly: true, timeout: 10_000 })
    return {
      // Rows of any question are objects by column name.
      ask: (question) => Promise.resolve(database.prepare(question).all() as Record<string, unknown>[]),
      close: () => Promise.resolve(void database.close()),
    }
  }
  const client = new Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  await client.connect()
  return {
    ask: async (question) => (await client.query<Record<string, unknown>>(question)).rows,
    close: () => client.end(),
  }
}

/** All runs of handlers in the journal, oldest first. */
export async function readRuns({ ask }: Pick<LedgerRows, 'ask'>): Promise<JournalRun[]> {
  const rows = await ask('select entry from journal order by id')
  // Text in every database.
  return rows.flatMap(({ entry }) => readEntry(entry as string).runs)
}

/** Resolves once no resource is due. */
export async function untilNothingIsDue({ ask }: LedgerRows, withinMs?: number): Promise<void> {
  const due = () => ask('select id from resources where due_at is not null limit 1')
  await until('nothing is due', async () => (await due()).length === 0, withinMs)
}

/** Resources that no handler has run for, or that a handler is neither in sync with nor parked at. */
export async function findBehind({ ask }: LedgerRows): Promise<unknown[]> {
  const work = await ask('select resource, handler, state from work')
  const rows = await ask(
    'select id, number, newest_event_id, document from resources left join states on number = resource',
  )
  const isBehind = ({ number, newest_event_id: newest, document }: Record<string, unknown>) => {
    const open = work.filter(({ resource }) => resource === number)
    // Columns of text and of a number, which PostgreSQL gives as text.
    const { handlers } = readStateDocument(document as string | null)
    const late = [...handlers].filter(([, { handledEventId }]) => handledEventId < Number(newest))
    return (
      handlers.size + open.length === 0 ||
      open.some(({ state }) => state === 'due') ||
      late.some(([name]) => !open.some(({ handler }) => handler === name))
    )
  }
  return rows.filter(isBehind).map(({ id }) => id)
}

/** Of the bodies of deliveries, those that a ledger under these keys has no event of. */
export async function findUnstored(
  { ask }: LedgerRows,
  bodies: Iterable<string>,
  sealingKeys: readonly Uint8Array[] = [],
): Promise<string[]> {
  const [key] = await ask('select stored from digest_key')
  // Columns of bytes.
  const fingerprint = createFingerprint(createSeal(sealingKeys).open(key?.stored as Buffer, sealContext.digestKey()))
  const stored = new Set(
    (await ask('select fingerprint from events')).map((row) => (row.fingerprint as Buffer).toString('hex')),
  )
  return [...bodies].filter((body) => !stored.has(fingerprint(Buffer.from(body)).toString('hex')))
}
