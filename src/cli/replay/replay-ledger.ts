import { readDocument } from '@pawl/ledger/sealing/documents'
import type { RecordedHandler, RecordedResource } from '@pawl/ledger/views/recorded'
import { SealBroken } from '@pawl/ledger/sealing/seal'
import { asFollowed, handlersFor } from '../../work/backlog.ts'
import type { AnyHandler } from '../../work/handler.ts'
import { openRecordedLedger, type RecordedLedgerOptions } from '../recorded-ledger.ts'
import { compareToFailure, compareToSuccess, type Difference, differences, type Finding } from './compare.ts'
import { guardNetwork } from './no-network.ts'
import { rehearse, type RehearsalDeps } from './rehearse.ts'

/** Options of a replay. */
export interface ReplayOptions
  extends Omit<RehearsalDeps, 'network' | 'digest' | 'newestMemory'>, RecordedLedgerOptions {
  handlers: readonly AnyHandler[]
  /** Max ids for each kind of difference. */
  limit: number
}

/** Runs of one handler that differ in one way. */
export interface DifferenceGroup extends Finding {
  handler: string
  /** Resources. */
  count: number
  /** The first of their ids. */
  ids: string[]
}

export interface ReplayResult {
  /** Runs that were compared, one for each handler and resource. */
  compared: number
  /** Runs without a difference and without an unknown. */
  same: number
  /** Runs not compared: in work, or without a snapshot, which retention deleted or which was never read. */
  left: { inWork: number; nothingKept: number }
  groups: DifferenceGroup[]
}

/** Runs handlers on the snapshots of a ledger, which it only reads, and compares the rehearsals with the recorded runs. Throws `LedgerUnreadable`. */
export async function replayLedger(options: ReplayOptions): Promise<ReplayResult> {
  const { handlers, limit } = options
  const result: ReplayResult = { compared: 0, same: 0, left: { inWork: 0, nothingKept: 0 }, groups: [] }
  const ledger = await openRecordedLedger(options)
  const network = guardNetwork()
  try {
    for await (const step of ledger.steps(handlers.map(({ name }) => name)))
      for (const resource of step)
        for (const handler of handlersFor(resource.kind, handlers)) {
          const recorded = resource.handlers.find((each) => each.handler === handler.name)
          if (recorded !== undefined) await replayRun({ resource, recorded, handler }, ledger)
        }
  } finally {
    network.remove()
    await ledger.close()
  }
  result.groups.sort(byHandlerAndKind)
  return result

  async function replayRun(run: ReplayedRun, recorded: Pick<RehearsalDeps, 'digest' | 'newestMemory'>): Promise<void> {
    if (run.resource.isClaimed) {
      result.left.inWork += 1
      return
    }
    const findings = await findDifferences(run, {
      ...options,
      network,
      digest: recorded.digest,
      newestMemory: recorded.newestMemory,
    })
    if (findings === undefined) {
      result.left.nothingKept += 1
      return
    }
    result.compared += 1
    if (findings.length === 0) result.same += 1
    for (const finding of findings) note(run.handler.name, run.resource.id, finding)
  }

  function note(handler: string, id: string, { is, what }: Finding): void {
    let group = result.groups.find((each) => each.handler === handler && each.is === is && each.what === what)
    if (group === undefined) result.groups.push((group = { handler, is, what, count: 0, ids: [] }))
    group.count += 1
    if (group.ids.length < limit) group.ids.push(id)
  }
}

interface ReplayedRun {
  resource: RecordedResource
  recorded: RecordedHandler
  handler: AnyHandler
}

/** `undefined` without a stored snapshot to run with. */
async function findDifferences(run: ReplayedRun, deps: RehearsalDeps): Promise<Finding[] | undefined> {
  const { resource, recorded } = run
  const hasFailed = recorded.state !== 'synced'
  try {
    const baseline = readDocument(recorded.baseline)
    const data = hasFailed ? readDocument(resource.snapshot) : baseline
    if (data === undefined || (hasFailed && recorded.errorCode === undefined)) return undefined
    const rehearsed = await rehearse(
      {
        ...run,
        data,
        // After a success the record holds all writes of the handler for this resource, so it runs as for the first time.
        baseline: hasFailed ? baseline : undefined,
        // The ledger stores an array there.
        tried: hasFailed ? recorded.tried.map(readDocument) : [],
        portions: portionsOf(run, hasFailed),
      },
      deps,
    )
    return hasFailed
      ? compareToFailure(recorded.errorCode ?? '', rehearsed)
      : compareToSuccess({ resource, recorded, rehearsed }, deps.systems)
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    return [{ is: 'unknown', what: `${error.name} (${error.code}): see SEALING_KEYS` }]
  }
}

/** The events of the handler's last success or failure. */
function portionsOf({ resource, recorded, handler }: ReplayedRun, hasFailed: boolean) {
  const followed = resource.events.flatMap((event) => asFollowed(event, handler, resource.kind) ?? [])
  const events = followed.filter(({ id }) => id > recorded.handledEventId === hasFailed)
  const [type = 'prior_authorization.status_change'] = handler.on
  // Retention may have deleted all of them.
  if (events.length === 0)
    events.push({
      id: recorded.handledEventId,
      type,
      receivedAt: resource.snapshotAt ?? 0,
      source: 'webhook',
      repeats: 0,
    })
  return handler.mode === 'each' ? events.map((event) => [event]) : [events]
}

/** False if a rehearsal cannot tell. */
export function isDifferent({ is }: { is: Difference }): boolean {
  return is !== 'unknown'
}

function byHandlerAndKind(a: DifferenceGroup, b: DifferenceGroup): number {
  if (a.handler !== b.handler) return a.handler < b.handler ? -1 : 1
  return differences.indexOf(a.is) - differences.indexOf(b.is) || b.count - a.count
}
