import type { SandboxClock } from '../platform/clock.ts'
import type { SandboxEventType } from './settings.ts'
import type { Emit } from './webhooks.ts'

/** An event that was emitted, whether or not a webhook listens for its type. */
export interface LoggedEvent {
  /** Sandbox time, ms since 1970. */
  at: number
  type: SandboxEventType
  resourceId: string
}

/** The newest events, in memory. */
export interface EventLog {
  note: Emit
  /** Those of a resource, oldest first. */
  listOf(resourceId: string): LoggedEvent[]
  clear(): void
}

const keep = 20_000

/** Creates an empty log. */
export function createEventLog({ clock }: { clock: Pick<SandboxClock, 'now'> }): EventLog {
  let events: LoggedEvent[] = []
  return {
    note: ({ type, resource }) => {
      events.push({ at: clock.now(), type, resourceId: resource.id })
      // Now and then, so that not every event moves all others.
      if (events.length > 2 * keep) events = events.slice(-keep)
    },
    listOf: (resourceId) => events.filter((event) => event.resourceId === resourceId),
    clear: () => void (events = []),
  }
}
