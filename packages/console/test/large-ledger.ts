import { sealContext } from '../../ledger/src/sealing/seal-context.ts'
import { createSeal } from '../../ledger/src/sealing/seal.ts'
import { execute } from '../../ledger/test/filled-ledger.ts'

/** Of so many events: the rows of each kind. */
export function sizeOf(events: number) {
  const [resources, entries] = [events / 4, events / 4]
  return { events, resources, parked: events / 10, waiting: (events * 3) / 20, followed: events / 20, entries }
}

interface Filling {
  events: number
  /** When the first was received. */
  from: number
  /** From the first to the last. */
  spanMs: number
}

/** Fills a ledger that has the newest schema with so many events, among them work that failed in eight ways. */
export async function fillLargeLedger(url: string, { events, from, spanMs }: Filling): Promise<void> {
  const size = sizeOf(events)
  const at = (rows: number) => `${from} + cast(i as bigint) * ${Math.floor(spanMs / rows)}`
  const [eventAt, resourceAt, entryAt] = [at(events), at(size.resources), at(size.entries)]
  const isSqlite = url.startsWith('file:')
  const series = (to: number) =>
    isSqlite
      ? `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${to}) select i from n)`
      : `(select i from generate_series(1, ${to}) as i)`
  const bytes = (length: number) => (isSqlite ? `zeroblob(${length})` : `decode(repeat('00', ${length}), 'hex')`)
  const filled = createSeal([]).seal(
    Buffer.from(JSON.stringify({ status: 'processing', filler: 'x'.repeat(1_000) })),
    sealContext.snapshot('any'),
  )
  const hex = Buffer.from(filled).toString('hex')
  const snapshot = isSqlite ? `x'${hex}'` : `decode('${hex}', 'hex')`
  const drug = Buffer.from(
    createSeal([]).seal(
      Buffer.from(JSON.stringify({ drug: '00000000011' })),
      sealContext.groups('prior_authorization', 0),
    ),
  ).toString('hex')
  const groups = isSqlite ? `x'${drug}'` : `decode('${drug}', 'hex')`
  const kindOf = `case i % 3 when 0 then 'prior_authorization' when 1 then 'benefit_verification' else 'provider_outreach' end`
  for (const statement of [
    `insert into events (resource, previous, resource_id, kind, event_type, fingerprint, body, received_at, source)
      select i % ${size.resources}, case when i > ${size.resources} then i - ${size.resources} end, 'pa_' || (i % ${size.resources}), 'prior_authorization', 'prior_authorization.status_change', ${bytes(32)}, ${bytes(1_000)}, ${eventAt},
        case when i % 50000 = 1 then 'poll' else 'webhook' end from ${series(size.events)} as n`,
    `insert into resources (number, id, kind, first_event_at, newest_event_id, heads, terminal)
      select i, 'pa_' || i, ${kindOf}, ${resourceAt}, i + ${size.resources} * ((${size.events} - i) / ${size.resources}), '{}', 0 from ${series(size.resources - 1)} as n`,
    `insert into states (resource, document, version, snapshot, read_at)
      select i, '{}', 1, ${snapshot}, ${resourceAt} from ${series(size.resources - 1)} as n`,
    `insert into outcomes (resource, kind, heard_at, from_start, status, status_at, submitted_at, ended_at, result, is_appeal, is_urgent, practice_ms, provider_ms, groups)
      select i, 'prior_authorization', ${resourceAt}, 1, 'completed', ${resourceAt}, ${resourceAt}, ${resourceAt}, 'approved', 0, 0, 0, 0, ${groups} from ${series(size.resources - 1)} as n`,
    `insert into journal (resource, at, entry)
      select i % ${size.resources - 1} + 1, ${eventAt}, '{"changes":[],"runs":[{"handler":"chart","startedAt":' || (${eventAt}) || ',"finishedAt":' || (${eventAt})
        || ',"result":"succeeded","firstEventId":' || i || ',"lastEventId":' || i || ',"writes":[]}]}' from ${series(size.events)} as n`,
    `insert into work (resource, handler, state, tried_event_id, attempts, error_code, error_system, failure_id, parked_at, failed_at, first_event_id, failing_since)
      select i, 'chart', 'parked', i, 0, 'code_' || (i % 4), case when i % 2 = 0 then 'ehr' else '' end, i, ${resourceAt}, ${resourceAt}, i, ${resourceAt}
      from ${series(size.parked)} as n`,
    `update resources set waits_for = 'denied', person_since = first_event_at where number <= ${size.waiting}`,
    `update resources set follows_up = 'pa_' || (newest_event_id - ${size.waiting + 1})
      where newest_event_id > ${size.waiting + 1} and newest_event_id <= ${size.waiting + size.followed + 1}`,
    `insert into rejections (reason, bytes, rejected_at) select 'not_json', 1, ${eventAt} from ${series(10_000)} as n`,
    `insert into audit (id, at, actor, via, action, resource_id, details, previous, hash)
      select i, ${entryAt}, case when i % 1000 = 0 then 'rare' else 'maria' end, 'admin:password',
        case when i % 700 = 0 then 'work.retry' else 'resource.view' end, 'pa_' || (i % 500), '{}', '', 'hash-' || i
      from ${series(size.entries)} as n`,
    'analyze',
  ])
    await execute(url, statement)
}
