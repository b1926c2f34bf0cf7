import type { WaitingCases } from '@pawl/ledger/views/work-groups'
import { countFailed } from '../pages/words.ts'

/** Names of the usual systems for people; others keep their own. */
const systemWords: Readonly<Record<string, string>> = {
  ehr: 'The chart',
  pharmacy: 'The pharmacy',
  api: 'The service',
}

/** Such as "The chart", at the start of a sentence. */
export function systemName(system: string): string {
  return systemWords[system] ?? `The system ${system}`
}

/** A system as the catalogue names it: `System` begins a sentence, `system` is within one, and `check` is the command that tries it. */
export function namesOfSystem(name: string) {
  const System = systemName(name)
  const within = System.charAt(0).toLowerCase() + System.slice(1)
  return {
    name,
    System,
    system: within.endsWith(name) ? within : `${within} (${name})`,
    // `pawl check` covers only the systems of the integration.
    check: name === 'api' ? 'pawl doctor' : 'pawl check',
  }
}

/** Number of cases that wait for a system. */
export function casesWaitingFor(system: string, waitingCases: readonly WaitingCases[]): number {
  return waitingCases.find((each) => each.system === system)?.count ?? 0
}

/** Such as "12 cases". */
export function inCases(count: number): string {
  return count === 1 ? '1 case' : `${countFailed(count)} cases`
}

/** Such as "12 pieces": several handlers may have failed for the same case. */
export function inPieces(count: number): string {
  return count === 1 ? '1 piece' : `${countFailed(count)} pieces`
}

/** A sentence on the work that waits for a system or a pause; `rest` ends it. */
export function sayWaiting(count: number, rest = ''): string {
  return count === 0 ? 'Nothing waits for it yet.' : `${inCases(count)} ${count === 1 ? 'waits' : 'wait'}${rest}.`
}
