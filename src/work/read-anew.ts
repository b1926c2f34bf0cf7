import type { Clock } from '../base/clock.ts'
import { PawlError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Intake } from '../ledger/hot/create-intake.ts'
import type { SnapshotFacts, SnapshotNote } from '../ledger/hot/notes.ts'
import type { Pollable } from '../ledger/hot/polls.ts'
import type { ErrorBeforeHandlers } from '../ledger/hot/waiting-errors.ts'
import { type Document, readDocument } from '../ledger/sealing/documents.ts'
import { describeChange } from '../service/schemas/describe-change.ts'
import { findUnknown } from '../service/schemas/drift.ts'
import { readIdentifiers } from '../service/schemas/identifiers.ts'
import { isTerminal, readFields, type ResourceKind } from '../service/schemas/kinds.ts'
import { readOutcomeFacts } from '../service/schemas/outcome-facts.ts'
import { readPersonWait } from '../service/schemas/waits-for-people.ts'
import { statusForLog } from './change-for-log.ts'
import { lagDelayMs } from './lag.ts'

/** The GET of one resource answered with the data of another, which must reach no system under this id. */
export class SnapshotOfAnother extends PawlError {
  readonly code = 'snapshot_of_another' satisfies ErrorBeforeHandlers
  override readonly retry = 'backoff'
}

/** A resource that the service is asked about, as the ledger knows it. */
export interface KnownResource {
  resourceId: string
  kind: ResourceKind
  snapshot: Document | undefined
  /** Whether the snapshot has a terminal status. */
  wasTerminal: boolean
  /** The newest webhook, where it may be ahead of the API. */
  webhook: Pollable['webhook']
  ageMs: number
}

export interface ReadAnewDeps {
  /** Asks the service for the resource's state. */
  ask: () => Promise<unknown>
  ledger: Pick<Intake, 'noteDrift'>
  /** Milliseconds until a resource with this data and age is polled; `undefined` without polls. */
  pollDelayMs: (kind: ResourceKind, data: unknown, ageMs: number) => number | undefined
  clock: Clock
  log: Log
}

/** The service's answer, or the stored snapshot where the service went back to an older state. */
export interface Answer {
  data: unknown
  goesBack: boolean
  /** Milliseconds until the next poll; undefined when none is due. */
  pollInMs: number | undefined
  /** The snapshot to record. */
  toNote(): Omit<SnapshotNote, 'eventId'> & { text: string; facts: SnapshotFacts }
}

/** Asks the service and compares its answer with the ledger, for claims and polls alike; records unknown names in it. Throws what `ask` throws, `SnapshotOfAnother`, `SealBroken`. */
export async function readAnew(
  { resourceId, kind, snapshot, wasTerminal, webhook, ageMs }: KnownResource,
  { ask, ledger, pollDelayMs, clock, log }: ReadAnewDeps,
): Promise<Answer> {
  const answered = await ask()
  assertIsOf(resourceId, answered)
  const unknown = findUnknown(kind, answered)
  if (unknown.length > 0) ledger.noteDrift(unknown.map((each) => ({ ...each, resourceId })))
  const { status } = readFields(answered, kind)
  const isEnd = isTerminal(kind, status)
  // Terminal never goes back (rule 7): the API answered from an older copy of its data.
  const goesBack = wasTerminal && !isEnd
  if (goesBack)
    log.warn(
      { resource_id: resourceId, status: statusForLog(status) },
      'the API went back from a terminal status: kept the terminal one',
    )
  const data = goesBack ? readDocument(snapshot) : answered
  // The activity of an outreach has no webhook of its own that the API could lag behind.
  const lagMs = kind === 'provider_outreach' ? undefined : lagDelayMs(webhook, data)
  const pollInMs = lagMs ?? pollDelayMs(kind, data, ageMs)
  return {
    data,
    goesBack,
    pollInMs,
    toNote() {
      const text = JSON.stringify(data)
      const facts = snapshotFacts(snapshot, { kind, data, text, readAt: clock.now() })
      return { of: 'snapshot', text, terminal: goesBack || isEnd, pollInMs, facts }
    },
  }
}

/** Throws `SnapshotOfAnother` if the data says that it is another resource's. */
function assertIsOf(resourceId: string, data: unknown): void {
  if (typeof data !== 'object' || data === null || !('id' in data) || data.id === resourceId) return
  throw new SnapshotOfAnother(`The service answered for ${resourceId} with the data of another resource.`)
}

/** Facts stored beside a snapshot: its changed fields, identifiers to search by, whether it waits for a person, and figures for the report. */
export function snapshotFacts(
  before: Document | undefined,
  { kind, data, text, readAt }: { kind: ResourceKind; data: unknown; text: string; readAt: number },
): SnapshotFacts {
  const textBefore = before !== undefined && 'text' in before ? before.text : undefined
  // A broken seal leaves nothing to compare with: the history starts over.
  const changes = textBefore === text ? [] : describeChange(textBefore && readDocument(before), data)
  const outcome = readOutcomeFacts(data)
  return {
    readAt,
    changes,
    identifiers: readIdentifiers(data),
    personWait: readPersonWait(kind, data),
    ...(outcome !== undefined && { outcome }),
  }
}
