import type { Kysely } from 'kysely'
import { type SealContext, sealContext } from './seal-context.ts'
import type { Tables } from '../tables.ts'
import type { Part, StrayEvent } from '../upkeep/read-part.ts'
import { inParts, readEventIds } from '../hot/event-chain.ts'

type Db = Kysely<Tables>

/** Stored sealed bytes. */
export interface SealedValue {
  context: SealContext
  stored: Uint8Array
  /** Set for an event's body: its fingerprint. */
  fingerprint?: Uint8Array
  /** Overwrites the stored bytes. */
  replace(bytes: Uint8Array): Promise<unknown>
}

/** Every sealed value of these resources; empty ones were purged, and are left out. */
export async function readSealed(db: Db, ids: readonly string[]): Promise<(SealedValue & { resourceId: string })[]> {
  if (ids.length === 0) return []
  const [states, baselines, events, effects, notices] = await Promise.all([
    db
      .selectFrom('states')
      .innerJoin('resources', 'number', 'resource')
      .select(['number', 'id', 'snapshot', 'identity'])
      .where('id', 'in', ids)
      .execute(),
    db
      .selectFrom('baselines')
      .innerJoin('resources', 'number', 'resource')
      .select(['number', 'id', 'version', 'snapshot'])
      .where('id', 'in', ids)
      .execute(),
    readEvents(db, ids),
    db
      .selectFrom('effects')
      .innerJoin('resources', 'number', 'resource')
      .select(['number', 'id', 'handler', 'key', 'value'])
      .where('id', 'in', ids)
      .execute(),
    db.selectFrom('feed').select(['id', 'resource_id', 'notice_id', 'body']).where('resource_id', 'in', ids).execute(),
  ])
  const found = [
    ...states.map(({ number, id, snapshot }) => ({
      resourceId: id,
      context: sealContext.snapshot(id),
      stored: snapshot,
      replace: (bytes: Uint8Array) =>
        db.updateTable('states').set({ snapshot: bytes }).where('resource', '=', number).execute(),
    })),
    ...states.map(({ number, id, identity }) => ({
      resourceId: id,
      context: sealContext.identity(id),
      stored: identity,
      replace: (bytes: Uint8Array) =>
        db.updateTable('states').set({ identity: bytes }).where('resource', '=', number).execute(),
    })),
    ...baselines.map(({ number, id, version, snapshot }) => ({
      resourceId: id,
      context: sealContext.snapshot(id),
      stored: snapshot,
      replace: (bytes: Uint8Array) =>
        db
          .updateTable('baselines')
          .set({ snapshot: bytes })
          .where('resource', '=', number)
          .where('version', '=', version)
          .execute(),
    })),
    ...events.map((event) => ({ resourceId: event.resource_id, ...bodyOf(db, event.resource_id, event) })),
    ...effects.map(({ number, id, handler, key, value }) => ({
      resourceId: id,
      context: sealContext.effect(id, handler, key),
      stored: value,
      replace: (bytes: Uint8Array) =>
        db
          .updateTable('effects')
          .set({ value: bytes })
          .where('resource', '=', number)
          .where('handler', '=', handler)
          .where('key', '=', key)
          .execute(),
    })),
    ...notices.map(({ id, resource_id: resourceId, notice_id: noticeId, body }) => ({
      resourceId,
      context: sealContext.notice(noticeId),
      stored: body,
      replace: (bytes: Uint8Array) => db.updateTable('feed').set({ body: bytes }).where('id', '=', id).execute(),
    })),
  ]
  return found.flatMap(({ stored, ...value }) => (stored === null || stored.length === 0 ? [] : [{ ...value, stored }]))
}

async function readEvents(db: Db, resourceIds: readonly string[]) {
  const events: (StrayEvent & { resource_id: string })[] = []
  for (const resourceId of resourceIds)
    for (const ids of inParts(await readEventIds(db, resourceId)))
      events.push(
        ...(await db
          .selectFrom('events')
          .select(['id', 'resource_id', 'fingerprint', 'body'])
          .where('id', 'in', ids)
          .execute()),
      )
  return events
}

/** Every sealed value of a part of the ledger. */
export async function readSealedPart(db: Db, { resources, strays, outcomes }: Part): Promise<SealedValue[]> {
  const ofResources = await readSealed(
    db,
    resources.map(({ id }) => id),
  )
  const ofNone = strays.filter(({ body }) => body.length > 0).map((event) => bodyOf(db, '', event))
  const ofReport = outcomes.map(({ resource, kind, heard_at: heardAt, groups }) => ({
    context: sealContext.groups(kind, heardAt),
    stored: groups,
    replace: (bytes: Uint8Array) =>
      db.updateTable('outcomes').set({ groups: bytes }).where('resource', '=', resource).execute(),
  }))
  return [...ofResources, ...ofNone, ...ofReport]
}

function bodyOf(db: Db, resourceId: string, { id, fingerprint, body }: StrayEvent): SealedValue {
  return {
    context: sealContext.body(resourceId, fingerprint),
    stored: body,
    fingerprint,
    replace: (bytes) => db.updateTable('events').set({ body: bytes }).where('id', '=', id).execute(),
  }
}
