import type { SandboxClock } from '../platform/sandbox-clock.ts'
import type { EmittedEvent } from './webhooks.ts'

/** An emitted event, even if no webhook receives its type. */
export interface LoggedEvent extends Omit<EmittedEvent, 'eventId'> {
  /** Sandbox time, ms since 1970. */
  at: number
  /** By part of the resource: number of statuses entered by then. */
  visited: Readonly<Record<string, number>>
}

/** The newest events, in memory. */
export interface EventLog {
  note(event: EmittedEvent): void
  /** Events of a resource, oldest first. */
  listOf(resourceId: string): LoggedEvent[]
  clear(): void
}

const keep = 20_000

export function createEventLog(deps: {
  clock: Pick<SandboxClock, 'now'>
  /** By part of a resource: number of statuses entered so far. */
  visitedBy: (resourceId: string) => Record<string, number>
}): EventLog {
  const { clock, visitedBy } = deps
  let events: LoggedEvent[] = []
  return {
    note: ({ type, resourceId, deliveryIds }) => {
      events.push({ at: clock.now(), type, resourceId, deliveryIds, visited: visitedBy(resourceId) })
      // Trimmed in batches, so that not every event copies the array.
      if (events.length > 2 * keep) events = events.slice(-keep)
    },
    listOf: (resourceId) => events.filter((event) => event.resourceId === resourceId),
    clear: () => void (events = []),
  }
}
