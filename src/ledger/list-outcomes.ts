import { type Kysely, type Selectable, sql } from 'kysely'
import { z } from 'zod'
import type { Grouping } from '../resources/outcome-facts.ts'
import type { Documents } from './documents.ts'
import type { OutcomeCursor, OutcomeFilter, OutcomeMoment, OutcomeRecord, Page } from './ledger.ts'
import { placeOf } from './place.ts'
import type { Tables } from './tables.ts'

const columns = {
  heardAt: 'heard_at',
  submittedAt: 'submitted_at',
  endedAt: 'ended_at',
  transferEndedAt: 'transfer_ended_at',
} as const satisfies Record<OutcomeMoment, keyof Tables['outcomes']>

/** How PAs and BVs came out that had this moment in the period, in its order, by the index of its column. */
export async function listOutcomes(
  db: Kysely<Tables>,
  { filter, limit, after }: { filter: OutcomeFilter; limit: number; after: OutcomeCursor | undefined },
  documents: Documents,
): Promise<Page<OutcomeRecord, OutcomeCursor>> {
  const column = columns[filter.moment]
  let query = db
    .selectFrom('outcomes')
    .selectAll()
    // Databases take a partial index only where they read its condition.
    .where(column, 'is not', null)
    .where(column, '>=', filter.from)
    .where(column, '<', filter.to)
    .orderBy(column)
    .orderBy('resource_id')
    .limit(limit)
  if (after !== undefined)
    query = query.where(sql<boolean>`(${sql.ref(column)}, resource_id) > (${after.at}, ${after.resourceId})`)
  const rows = await query.execute()
  const last = rows.length < limit ? undefined : rows.at(-1)
  return {
    rows: rows.map((row) => toRecord(row, filter.by, documents)),
    next: last && { at: last[column] ?? 0, resourceId: last.resource_id },
  }
}

const Groups = z.record(z.string(), z.string())

function toRecord(row: Selectable<Tables['outcomes']>, by: Grouping | undefined, documents: Documents): OutcomeRecord {
  return {
    resourceId: row.resource_id,
    kind: row.kind,
    heardAt: row.heard_at,
    isFromStart: row.from_start === 1,
    submittedAt: row.submitted_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    result: row.result ?? undefined,
    reason: row.reason ?? undefined,
    isAppeal: row.is_appeal === 1,
    transferStatus: row.transfer_status ?? undefined,
    transferStartedAt: row.transfer_started_at ?? undefined,
    transferEndedAt: row.transfer_ended_at ?? undefined,
    practiceMs: row.practice_ms,
    providerMs: row.provider_ms,
    group: by === undefined ? undefined : readGroup(row.groups, by, documents),
  }
}

/** What was sealed with a key that is not listed any more is in no group that is known. */
function readGroup(groups: Uint8Array, by: Grouping, documents: Documents): string | undefined {
  const document = documents.read(groups, placeOf.groups())
  if (document === undefined || 'broken' in document) return undefined
  return Groups.safeParse(JSON.parse(document.text)).data?.[by]
}
