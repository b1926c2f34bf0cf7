import type { Log } from '@pawl/base/log'
import type { Act } from '@pawl/ledger/audit/audit-entry'
import type { Away } from '@pawl/ledger/away'
import type { FailedWork } from '@pawl/ledger/upkeep/create-failed-work'
import type { Pauses } from '@pawl/ledger/upkeep/create-pauses'
import { nameOfTarget } from './pause-names.ts'
import { pauseOver } from './pausing.ts'
import { refusal } from './serve.ts'

export interface ProbingDeps {
  ledger: Pick<FailedWork, 'probe'> & Pick<Pauses, 'pauses'>
  /** The systems, the service among them. */
  systemNames: readonly string[]
  readAway: () => readonly Away[]
  /** Wakes a worker for a due resource. */
  enqueue: (resourceId: string) => void
  log: Log
}

/** Probes a system that is away, with some of its waiting work; resolves with the number of resources. Throws `RequestRefused`. */
export type Probe = (system: string, act: Act) => Promise<number>

export function createProbe({ ledger, systemNames, readAway, enqueue, log }: ProbingDeps): Probe {
  return async (system, act) => {
    if (!systemNames.includes(system))
      throw refusal('unknown_system', `No system has this name: name one of ${systemNames.join(', ')}.`)
    if (!readAway().some((away) => away.system === system)) throw refusal('not_away', 'It is not away.')
    const pauses = await ledger.pauses()
    const pause = pauseOver(pauses, system)
    if (pause) throw refusal('paused', `It gets no requests while ${nameOfTarget(pause)} is paused: resume that first.`)
    const resourceIds = await ledger.probe(system, act)
    for (const id of resourceIds) enqueue(id)
    log.warn({ system, count: resourceIds.length }, 'system probed by hand')
    return resourceIds.length
  }
}
