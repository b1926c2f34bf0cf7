import type { SandboxClock } from '../platform/sandbox-clock.ts'
import type { SandboxEventType } from './settings.ts'
import type { Emit } from './webhooks.ts'

/** An emitted event, even if no webhook receives its type. */
export interface LoggedEvent {
  /** Sandbox time, ms since 1970. */
  at: number
  type: SandboxEventType
  resourceId: string
}

/** The newest events, in memory. */
export interface EventLog {
  note: Emit
  /** Events of a resource, oldest first. */
  listOf(resourceId: string): LoggedEvent[]
  clear(): void
}

const keep = 20_000

export function createEventLog({ clock }: { clock: Pick<SandboxClock, 'now'> }): EventLog {
  let events: LoggedEvent[] = []
  return {
    note: ({ type, resource }) => {
      events.push({ at: clock.now(), type, resourceId: resource.id })
      // Trimmed in batches, so that not every event copies the array.
      if (events.length > 2 * keep) events = events.slice(-keep)
    },
    listOf: (resourceId) => events.filter((event) => event.resourceId === resourceId),
    clear: () => void (events = []),
  }
}
