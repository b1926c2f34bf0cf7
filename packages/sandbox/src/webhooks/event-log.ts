import type { TransitionObserved } from '../platform/observe.ts'
import type { SandboxClock } from '../platform/sandbox-clock.ts'
import type { EmittedEvent } from './webhooks.ts'

/** An emitted event, even if no webhook receives its type, or a status that one of the resource's machines entered. */
export type LoggedEntry = { resourceId: string } & (
  | { machine: string }
  | ({
      /** Sandbox time, ms since 1970. */
      at: number
    } & Pick<EmittedEvent, 'type' | 'deliveryIds'>)
)

/** The newest events and transitions, in memory. */
export interface EventLog {
  noteEvent(event: EmittedEvent): void
  noteTransition(transition: Pick<TransitionObserved, 'id' | 'machine'>): void
  /** Entries of a resource, oldest first. */
  listOf(resourceId: string): LoggedEntry[]
  clear(): void
}

const keep = 40_000

export function createEventLog({ clock }: { clock: Pick<SandboxClock, 'now'> }): EventLog {
  let entries: LoggedEntry[] = []

  function add(entry: LoggedEntry): void {
    entries.push(entry)
    // Trimmed in batches: not every entry copies the array.
    if (entries.length > 2 * keep) entries = entries.slice(-keep)
  }

  return {
    noteEvent: ({ type, resourceId, deliveryIds }) => add({ resourceId, at: clock.now(), type, deliveryIds }),
    noteTransition: ({ id, machine }) => add({ resourceId: id, machine }),
    listOf: (resourceId) => entries.filter((entry) => entry.resourceId === resourceId),
    clear: () => void (entries = []),
  }
}
