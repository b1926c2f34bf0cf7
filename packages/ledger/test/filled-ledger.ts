import { Sqlite } from '../../base/src/sqlite.ts'
import type { Clock } from '../../base/src/clock.ts'
import { ownActor } from '../src/audit/audit-entry.ts'
import { createLedger } from '../src/create-ledger.ts'
import type { SnapshotFacts } from '../src/hot/notes.ts'
import { openStorage } from '../src/open-storage.ts'
import { createSeal } from '../src/sealing/seal.ts'
import { Client } from 'pg'

export const sealingKey = Buffer.alloc(32, 7)

/** A ledger on real storage, as a gateway opens it. */
export async function openLedger(url: string, clock: Clock = Date) {
  const storage = await openStorage(url, { clock, onError: () => {} })
  return createLedger({ storage, seal: createSeal([sealingKey]) })
}

/** Fills every table with what a pawl leaves there: events that repeat, a resource in sync, one parked, one claimed, one without a resource; and, where asked for, the first row of the audit trail. */
export async function fillLedger(url: string, { hasTrail = false } = {}): Promise<void> {
  const ledger = await openLedger(url)
  const delivery = (n: number, resourceId: string | undefined) => ({
    resourceId,
    kind: 'prior_authorization' as const,
    eventType: 'prior_authorization.status_change',
    eventKey: n % 3 === 0 ? `key-${n}` : undefined,
    body: Buffer.from(JSON.stringify({ n, name: 'Testa Sample' })),
    source: 'webhook' as const,
  })
  if (hasTrail) await ledger.audit({ actor: ownActor, action: 'process.start' })
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(Array.from({ length: 100 }, (_, n) => ledger.accept(delivery(n + round * 100, `pa_req_${n}`))))
  }
  await ledger.accept(delivery(200, 'pa_req_0'))
  await ledger.accept(delivery(1_000, undefined))
  const run = { handler: 'chart', startedAt: 1, finishedAt: 2, firstEventId: 1, lastEventId: 2 }
  for (const id of ['pa_req_1', 'pa_req_2', 'pa_req_3']) {
    const claim = await ledger.claim(id, 60_000, {})
    if (claim === undefined) throw new Error('not claimed')
    const text = JSON.stringify({ id, status: 'completed' })
    const writes = [{ system: 'ehr', type: 'Task', id: `task-${id}`, version: '1' }]
    const error = { code: 'refused', message: 'The chart is locked.' }
    const facts: SnapshotFacts = {
      readAt: 1,
      changes: [{ field: 'status', to: 'completed' }],
      identifiers: [{ field: 'mrn', value: `MRN-${id}` }],
      personWait: { waitsFor: 'denied', followsUp: 'pa_req_99' },
      outcome: { course: { status: 'completed', result: 'denied' }, groups: { drug: 'samplemab' } },
    }
    await ledger.record(claim, [
      {
        of: 'snapshot',
        text,
        eventId: claim.newestEventId,
        terminal: id === 'pa_req_1',
        pollInMs: undefined,
        facts,
      },
      { of: 'success', run: { ...run, writes, leftOut: [{ system: 'ehr', type: 'Task', reason: 'not taken' }] } },
      { of: 'failure', run: { ...run, handler: 'desk', writes: [], error, attempts: 1, delayMs: undefined } },
    ])
    await ledger.recordEffect(id, 'chart', 'announced', '{"channel":"team"}')
    await ledger.beginEffect(id, 'chart', 'faxed')
    await ledger.publish(claim, { id: `msg_${id}`, reader: '1234567', text: '{"id":"invented"}' })
    await ledger.writeMemory(claim, 'ehr', 'task', { id: '1', version: '2', digest: 'abc' })
    await ledger.writeMemory(claim, 'handler:chart', 'card', { id: `card-${id}` })
    await ledger.takeShared(claim, 'ehr', 'insurance')
    // Both handlers still compare with the state before.
    const later = JSON.stringify({ id, status: 'completed', outcome: 'denied' })
    const read = { of: 'snapshot', text: later, eventId: claim.newestEventId, terminal: true, facts } as const
    await ledger.record(claim, [{ ...read, pollInMs: undefined }])
    if (id !== 'pa_req_3') await ledger.release(claim, { notes: [], dueInMs: undefined, restMs: 1 })
  }
  await ledger.noteOutage('ehr', 1_000)
  await ledger.noteAlerts({ found: [{ kind: 'away', subject: 'ehr', level: 0, count: 1, opens: true }], gone: [] })
  ledger.reject({ reason: 'token_forged', bytes: 12 })
  await ledger.catchUp()
  await ledger.close()
  // Past the audit trail, which is empty so.
  await execute(url, "insert into pauses (kind, name, since, reason) values ('all', '', 1, 'an incident')")
  await execute(
    url,
    "insert into starts (prescription, kind, begun_at, resource_id) values ('MedicationRequest/1', 'prior_authorization', 1, 'pa_req_1')",
  )
  await execute(url, "insert into alert_targets (name, failures, next_at, sent_at) values ('url', 1, 0, 1)")
  await execute(url, "insert into tallies (span, at, name, value) values ('hour', 0, 'delivered', 3)")
  await execute(url, "insert into upkeep (task, done_at) values ('retention', 1)")
}

/** Runs one statement past the ledger; resolves with its rows. */
export async function execute(url: string, statement: string): Promise<Record<string, unknown>[]> {
  if (url.startsWith('file:')) {
    const database = new Sqlite(url.slice('file:'.length))
    try {
      const prepared = database.prepare<[], Record<string, unknown>>(statement)
      return prepared.reader ? prepared.all() : (prepared.run(), [])
    } finally {
      database.close()
    }
  }
  const client = new Client({ connectionString: url, application_name: 'test' })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

/** The rows of every table of the ledger, in one order and one form for every database. */
export async function dumpLedger(url: string): Promise<Record<string, string[]>> {
  const worked = ['events', 'event_marks', 'resources', 'states', 'baselines', 'work', 'journal', 'outcomes', 'lookups']
  const alerts = ['alerts', 'alert_targets', 'upkeep', 'tallies', 'projections']
  const others = [
    'effects',
    'begun_effects',
    'feed',
    'handler_memory',
    'shared_memory',
    'left_out',
    'outages',
    'pauses',
    'rejections',
  ]
  const names = [...worked, ...others, ...alerts]
  const dumped: Record<string, string[]> = {}
  for (const name of names) {
    const rows = await execute(url, `select * from ${name}`)
    const plain = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value))
    const lines = rows.map((row) =>
      Object.entries(row)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([column, value]) => `${column}=${plain(value)}`)
        .join(' '),
    )
    dumped[name] = lines.toSorted()
  }
  return dumped
}
