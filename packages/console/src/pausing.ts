import { z } from 'zod'
import type { Log } from '@pawl/base/log'
import type { Act } from '@pawl/ledger/audit/audit-entry'
import type { PauseTarget } from '@pawl/ledger/hot/pause'
import type { Pauses } from '@pawl/ledger/upkeep/create-pauses'

export interface PausingDeps {
  ledger: Pick<Pauses, 'pause' | 'resume'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  /** The systems, the service among them. */
  systemNames: readonly string[]
  /** Reloads the pauses in this process at once. */
  lookAtPauses: () => Promise<void>
  /** Wakes a worker for a due resource. */
  enqueue: (resourceId: string) => void
  log: Log
}

/** Target of a pause, in an address or a form. */
export const PauseTargetQuery = z.object({
  kind: z.enum(['all', 'handler', 'system']),
  name: z.string().max(200).default(''),
})

/** All work, as the target of a pause. */
export const allWork: PauseTarget = { kind: 'all', name: '' }

/** Pauses and resumes work, for the API and the pages. */
export interface Pausing {
  /** All handlers and all systems. */
  targets: readonly PauseTarget[]
  pause(this: void, target: PauseTarget, act: Act): Promise<void>
  /** Resolves with the number of resources made due. */
  resume(this: void, target: PauseTarget, act: Act): Promise<number>
}

export function createPausing(deps: PausingDeps): Pausing {
  const { ledger, handlerNames, systemNames, lookAtPauses, enqueue, log } = deps
  return {
    targets: [
      ...handlerNames.map((name) => ({ kind: 'handler' as const, name })),
      ...systemNames.map((name) => ({ kind: 'system' as const, name })),
    ],
    async pause(target, act) {
      await ledger.pause(target, act)
      await lookAtPauses()
      log.warn(fieldsOf(target), 'paused')
    },
    async resume(target, act) {
      const resourceIds = await ledger.resume(target, act)
      await lookAtPauses()
      for (const id of resourceIds) enqueue(id)
      log.warn({ ...fieldsOf(target), count: resourceIds.length }, 'resumed')
      return resourceIds.length
    },
  }
}

/** Whether both are the same handler, system or all work. */
export function isSameTarget(one: PauseTarget, other: PauseTarget): boolean {
  return one.kind === other.kind && one.name === other.name
}

/** Whether this exact target is paused. */
export function isPaused(pauses: readonly PauseTarget[], target: PauseTarget): boolean {
  return pauses.some((pause) => isSameTarget(pause, target))
}

/** The pause that stops all requests to a system, if any. */
export function pauseOver(pauses: readonly PauseTarget[], system: string): PauseTarget | undefined {
  return [allWork, { kind: 'system', name: system } as const].find((each) => isPaused(pauses, each))
}

function fieldsOf({ kind, name }: PauseTarget) {
  return kind === 'all' ? {} : { [kind]: name }
}
