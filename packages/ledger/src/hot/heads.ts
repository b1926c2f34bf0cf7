/** What identifies a copy of an event type's newest events (rule 2). */
export interface Head {
  /** The newest webhook of the type. */
  webhook?: { eventId: number; fingerprint: Buffer } | undefined
  /** The newest event of the type that pawl itself stored. */
  ownEventId?: number | undefined
}

/** A resource's heads, by event type. */
export type Heads = Map<string, Head>

/** As in `resources.heads`. */
type StoredHead = [eventId: number, fingerprint: string, ownEventId: number]

/** Written by `storeHeads`; null for a resource without events. */
export function readHeads(stored: string | null): Heads {
  if (stored === null) return new Map()
  const heads = Object.entries(JSON.parse(stored) as Record<string, StoredHead>)
  return new Map(
    heads.map(([type, [eventId, fingerprint, ownEventId]]): [string, Head] => [
      type,
      {
        ...(eventId > 0 && { webhook: { eventId, fingerprint: Buffer.from(fingerprint, 'base64url') } }),
        ...(ownEventId > 0 && { ownEventId }),
      },
    ]),
  )
}

export function storeHeads(heads: Heads): string {
  return JSON.stringify(
    Object.fromEntries(
      [...heads].map(([type, { webhook, ownEventId = 0 }]): [string, StoredHead] => [
        type,
        [webhook?.eventId ?? 0, webhook?.fingerprint.toString('base64url') ?? '', ownEventId],
      ]),
    ),
  )
}

/** The newest webhook of any type. */
export function newestWebhookIn(heads: Heads): number | undefined {
  const ids = [...heads.values()].flatMap(({ webhook }) => webhook?.eventId ?? [])
  return ids.length === 0 ? undefined : Math.max(...ids)
}
