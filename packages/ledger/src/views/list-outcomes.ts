import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely'
import type { Result } from 'pawl-client/schemas/outcome-course'
import type { Grouping, OutcomeFacts } from 'pawl-client/schemas/outcome-facts'
import type { Documents } from '../sealing/documents.ts'
import { sealContext } from '../sealing/seal-context.ts'
import type { Tables } from '../tables.ts'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { ViewCore } from '../core.ts'

/** Moments of a PA or BV that the report reads. */
const outcomeMoments = ['heardAt', 'submittedAt', 'endedAt', 'transferEndedAt'] as const

export type OutcomeMoment = (typeof outcomeMoments)[number]

/** Course and outcome of one PA or BV. */
export interface OutcomeRecord {
  kind: ResourceKind
  heardAt: number
  /** Known before any decision could have been made: its times tell how long it took. */
  isFromStart: boolean
  /** When it was first seen to be with the payer. */
  submittedAt: number | undefined
  endedAt: number | undefined
  result: Result | undefined
  reason: string | undefined
  isAppeal: boolean
  /** By the priority of its request. */
  isUrgent: boolean
  transferStatus: string | undefined
  transferStartedAt: number | undefined
  transferEndedAt: number | undefined
  /** How long it waited for the practice and for the provider. */
  practiceMs: number
  providerMs: number
  /** Value of the requested grouping; absent if unknown. */
  group: string | undefined
}

/** Outcomes with such a moment in the period, `to` excluded; `by` adds their groups. */
export interface OutcomeFilter {
  from: number
  to: number
  by?: Grouping | undefined
}

/** Cursor: the last row read of a moment; without one, its first row. */
export interface OutcomeCursor {
  moment: OutcomeMoment
  last: { at: number; resource: number } | undefined
}

/** Part of the requested outcomes, possibly empty; `next` is absent at the end. */
export interface OutcomePart {
  rows: OutcomeRecord[]
  next: OutcomeCursor | undefined
}

const columns = {
  heardAt: 'heard_at',
  submittedAt: 'submitted_at',
  endedAt: 'ended_at',
  transferEndedAt: 'transfer_ended_at',
} as const satisfies Record<OutcomeMoment, keyof Tables['outcomes']>

/** Rows per part: few enough not to delay deliveries. */
const maxRows = 1_000
/** Max index entries read per part, at no more cost. */
const maxEntries = 20_000

/**
 * The next part of the PAs and BVs with such a moment in the period, each once: one moment after the other, by the index of its column.
 * A part is empty if an earlier moment already covered all of its rows.
 */
async function listOutcomes(
  db: Kysely<Tables>,
  { by, ...period }: OutcomeFilter,
  documents: Documents,
  after: OutcomeCursor | undefined,
): Promise<OutcomePart> {
  const index = after === undefined ? 0 : outcomeMoments.indexOf(after.moment)
  const moment = after?.moment ?? outcomeMoments[0]
  const inOrder = db
    .selectFrom('outcomes')
    .select(['resource', columns[moment]])
    .where((eb) => isWithin(eb, moment, period))
    .where((eb) => eb.and(after?.last === undefined ? [] : [compare(moment, '>', after.last)]))
    .orderBy(columns[moment])
    .orderBy('resource')
  const keyOfRow = (row: { resource: number } & Partial<Record<(typeof columns)[OutcomeMoment], number | null>>) => ({
    at: row[columns[moment]] ?? 0,
    resource: row.resource,
  })
  // The first moment has no earlier ones to skip.
  const end =
    index === 0
      ? undefined
      : await inOrder
          .limit(1)
          .offset(maxEntries - 1)
          .executeTakeFirst()
  const rows = await inOrder
    .select(narrow)
    .$if(by !== undefined, (query) => query.select('groups'))
    .where((eb) =>
      eb.and([
        ...(end === undefined ? [] : [compare(moment, '<=', keyOfRow(end))]),
        ...outcomeMoments.slice(0, index).map((each) => eb.not(isWithin(eb, each, period))),
      ]),
    )
    .limit(maxRows)
    .execute()
  const last = rows.length === maxRows ? rows.at(-1) : end
  const readGroup = createGroupReader(by, documents)
  const nextMoment = outcomeMoments[index + 1]
  const ofNextMoment = nextMoment && { moment: nextMoment, last: undefined }
  return {
    rows: rows.map((row) => ({ ...toRecord(row), group: readGroup(row) })),
    next: last === undefined ? ofNextMoment : { moment, last: keyOfRow(last) },
  }
}

const narrow = [
  'kind',
  'heard_at',
  'from_start',
  'submitted_at',
  'ended_at',
  'result',
  'reason',
  'is_appeal',
  'is_urgent',
  'transfer_status',
  'transfer_started_at',
  'transfer_ended_at',
  'practice_ms',
  'provider_ms',
] as const satisfies readonly (keyof Tables['outcomes'])[]

function isWithin(
  eb: ExpressionBuilder<Tables, 'outcomes'>,
  moment: OutcomeMoment,
  { from, to }: { from: number; to: number },
) {
  const column = columns[moment]
  // Databases use a partial index only if the query repeats its condition.
  return eb.and([eb(column, 'is not', null), eb(column, '>=', from), eb(column, '<', to)])
}

function compare(moment: OutcomeMoment, by: '>' | '<=', { at, resource }: { at: number; resource: number }) {
  return sql<boolean>`(${sql.ref(columns[moment])}, resource) ${sql.raw(by)} (${at}, ${resource})`
}

function toRecord(row: Pick<Selectable<Tables['outcomes']>, (typeof narrow)[number]>): Omit<OutcomeRecord, 'group'> {
  return {
    kind: row.kind,
    heardAt: row.heard_at,
    isFromStart: row.from_start === 1,
    submittedAt: row.submitted_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    result: row.result ?? undefined,
    reason: row.reason ?? undefined,
    isAppeal: row.is_appeal === 1,
    isUrgent: row.is_urgent === 1,
    transferStatus: row.transfer_status ?? undefined,
    transferStartedAt: row.transfer_started_at ?? undefined,
    transferEndedAt: row.transfer_ended_at ?? undefined,
    practiceMs: row.practice_ms,
    providerMs: row.provider_ms,
  }
}

type GroupsRow = Pick<Selectable<Tables['outcomes']>, 'kind' | 'heard_at'> & { groups?: Uint8Array | undefined }

/** Values sealed with a key no longer listed belong to no known group. */
function createGroupReader(by: Grouping | undefined, documents: Documents) {
  const known = new Map<string, string | undefined>()
  return ({ groups, kind, heard_at: heardAt }: GroupsRow): string | undefined => {
    if (by === undefined || groups === undefined) return undefined
    const document = documents.read(groups, sealContext.groups(kind, heardAt))
    if (document === undefined || 'broken' in document) return undefined
    const { text } = document
    // Written by `projectOutcomes`.
    if (!known.has(text)) known.set(text, (JSON.parse(text) as OutcomeFacts['groups'])[by])
    return known.get(text)
  }
}

/** Reads of outcomes for the report. */
export type OutcomeViews = ReturnType<typeof createOutcomeViews>

export function createOutcomeViews({ db, documents }: ViewCore) {
  return {
    /** Outcomes of PAs and BVs, each once, a small part at a time. */
    listOutcomes: (filter: OutcomeFilter, after?: OutcomeCursor) => listOutcomes(db, filter, documents, after),
  }
}
