import type { Seal } from '../seal.ts'

/** What a key is made of. */
interface KeyedEvent {
  id: number
  resource_id: string
  fingerprint: Uint8Array
  received_at: number
}

/** The key of an event's body: the same whenever it is asked for, and of no other event of any ledger. It tells the day and the id, nothing of the body: the rest is a digest under the sealing key. */
export function bodyKeyOf(event: KeyedEvent, seal: Pick<Seal, 'digest'>): string {
  const { id, resource_id: resourceId, fingerprint, received_at: receivedAt } = event
  const digest = seal.digest(JSON.stringify(['body', id, resourceId, Buffer.from(fingerprint).toString('hex')]))
  return `${dayOf(receivedAt)}/${id}-${digest}`
}

/** The day of a time, in UTC. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** The event that a key belongs to; `undefined` where it is no key of a body. */
export function eventIdOf(key: string): number | undefined {
  const id = /^\d{4}-\d{2}-\d{2}\/(\d{1,15})-[\w-]+$/.exec(key)?.[1]
  return id === undefined ? undefined : Number(id)
}

/** Whether it is the name of a day. */
export function isDay(name: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(name)
}
