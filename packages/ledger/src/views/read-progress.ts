import type { Kysely } from 'kysely'
import { readStateDocument } from '../hot/state-document.ts'
import type { ProgressState, Tables } from '../tables.ts'

/** Progress of one handler on one resource. */
export interface HandlerProgress {
  handler: string
  state: ProgressState
  handledEventId: number
  attempts: number
  dueAt: number | undefined
  parkedAt: number | undefined
  error: { code: string; message: string } | undefined
}

/** Every handler that has run: those in sync from the document, the others from their work. */
export async function readProgress(
  db: Kysely<Tables>,
  { number, document }: { number: number; document: string | null },
): Promise<HandlerProgress[]> {
  const rows = await db
    .selectFrom('work')
    .select(['handler', 'state', 'attempts', 'due_at', 'parked_at', 'error_code', 'error_message'])
    .where('resource', '=', number)
    .execute()
  const work = new Map(rows.map((row) => [row.handler, row]))
  const { handlers } = readStateDocument(document)
  const names = new Set([...handlers.keys(), ...work.keys()])
  return [...names].toSorted().map((handler) => {
    const row = work.get(handler)
    return {
      handler,
      state: row?.state ?? 'synced',
      handledEventId: handlers.get(handler)?.handledEventId ?? 0,
      attempts: row?.attempts ?? 0,
      dueAt: row?.due_at ?? undefined,
      parkedAt: row?.parked_at ?? undefined,
      error: row?.error_code == null ? undefined : { code: row.error_code, message: row.error_message ?? '' },
    }
  })
}
