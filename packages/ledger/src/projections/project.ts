import type { Transaction } from 'kysely'
import type { Core } from '../core.ts'
import { type ProjectionName, projectionNames, type Tables } from '../tables.ts'
import { readCursors } from './read-cursors.ts'
import { type Cursors, type Source, sources, type Unread } from './sources.ts'

/** Rows per step: few enough not to delay deliveries, which may share its commit. */
const stepSize = 64

/** The next rows of one source. */
interface Next {
  source: Source
  from: Cursors
  rows: readonly Unread[]
}

/** Projects the next rows of each source. Resolves with whether more are left. */
export async function project(
  core: Core,
  names: readonly ProjectionName[] = projectionNames,
  limit = stepSize,
): Promise<boolean> {
  const { commits, seal, documents } = core
  const steps = await readNext(core, names, limit)
  if (steps.length === 0) return false
  const results = await commits.write(
    async (trx, now) => {
      const taken: boolean[] = []
      for (const step of steps) taken.push(await take(trx, step, { now, seal, documents }))
      return taken
    },
    // An erasure waits, and finds what the step wrote.
    () => steps.flatMap(({ rows }) => rows.flatMap(({ resourceId }) => resourceId ?? [])),
  )
  return steps.some(({ rows }, index) => rows.length === limit || results[index] === false)
}

/** Projects all rows written so far, but on PostgreSQL those behind a transaction that may still be open. */
export async function catchUp(core: Core, names?: readonly ProjectionName[]): Promise<void> {
  let isBehind = true
  while (isBehind) isBehind = await project(core, names)
}

async function readNext({ db, storage }: Core, names: readonly ProjectionName[], limit: number): Promise<Next[]> {
  const cursors = await readCursors(db)
  const found: Next[] = []
  for (const source of sources) {
    const from = new Map(source.names.filter((name) => names.includes(name)).map((name) => [name, cursors[name]]))
    if (from.size === 0) continue
    const after = Math.min(...from.values())
    const rows = await source.readUnread(db, after, limit)
    if (rows.length === 0) continue
    const settled = settledRows(rows, after, await storage.now(db), storage.openForMs)
    if (settled.length > 0) found.push({ source, from, rows: settled })
  }
  return found
}

/** The rows before the first gap in their ids: its row may be in a transaction that is still open. A gap as old as `openForMs` stays one. */
function settledRows(rows: readonly Unread[], after: number, now: number, openForMs: number): readonly Unread[] {
  if (openForMs === 0) return rows
  const end = rows.findIndex(({ id, at }, index) => id !== (rows[index - 1]?.id ?? after) + 1 && at > now - openForMs)
  return end === -1 ? rows : rows.slice(0, end)
}

/** False if another process projected some of these rows first. */
async function take(
  trx: Transaction<Tables>,
  { source, from, rows }: Next,
  deps: Parameters<Source['project']>[3],
): Promise<boolean> {
  const to = rows.at(-1)?.id ?? 0
  const behind = [...from].filter(([, after]) => after < to)
  const taken = new Map<ProjectionName, number>()
  for (const [name, after] of behind) if (await moveCursor(trx, name, after, to)) taken.set(name, after)
  if (taken.size > 0) await source.project(trx, taken, to, deps)
  return taken.size === behind.length
}

/** Locks the cursor, so that two processes never project the same rows. */
async function moveCursor(trx: Transaction<Tables>, name: ProjectionName, from: number, to: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows: moved } = await trx
    .insertInto('projections')
    .values({ name, last_id: to })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ last_id: to }).where('projections.last_id', '=', from),
    )
    .executeTakeFirstOrThrow()
  return moved === 1n
}
