import type { Differing } from './compare-systems.ts'

/** Resources that the steps of one run created, in order, and results of some steps. */
export interface Cast {
  priorAuthorizations: string[]
  benefitVerifications: string[]
  /** Attempts to reach a prescriber. */
  outreaches: string[]
  /** Index of the patient of each resource. */
  patients: Map<string, number>
  /** The BV that a PA triggered, by the PA. */
  verifying: Map<string, string>
  messages: number
  /** The PA of each message or call, by its count. */
  textOwners: Map<number, string>
  /** The PAs that a PA appeals against. */
  appeals: Map<string, string>
  /** The PA of each attempt to reach a prescriber. */
  asked: Map<string, string>
  /** Resources with a lost webhook. */
  dropped: Set<string>
  /** PAs for which the service answered with unknown values. */
  unknownIds: Set<string>
  /** pawl's answers to strange deliveries. */
  strange: { what: 'unknown values' | 'wrong secret'; status: number }[]
  clockChanges: number
  /** When all resources were looked at again, if all had settled before; monotonic clock, milliseconds. */
  lookedAgainAt: number | undefined
  /** When all had settled; monotonic clock, milliseconds. */
  settledAt: number[]
  /** The times between which all was to settle after so many steps, and did not. */
  unsettled: { step: number; from: number; to: number }[]
  /** Where chart and pharmacy differed from the service once all was settled after so many steps. */
  differences: (Differing & { step: number })[]
}

export function createCast(): Cast {
  return {
    priorAuthorizations: [],
    benefitVerifications: [],
    outreaches: [],
    patients: new Map(),
    verifying: new Map(),
    messages: 0,
    textOwners: new Map(),
    appeals: new Map(),
    asked: new Map(),
    dropped: new Set(),
    unknownIds: new Set(),
    strange: [],
    clockChanges: 0,
    lookedAgainAt: undefined,
    settledAt: [],
    unsettled: [],
    differences: [],
  }
}

/** Names for the report, by id. */
export function labelsOf({ priorAuthorizations, benefitVerifications, outreaches }: Cast): Map<string, string> {
  return new Map([
    ...priorAuthorizations.map((id, index) => [id, `PA ${index}`] as const),
    ...benefitVerifications.map((id, index) => [id, `BV ${index}`] as const),
    ...outreaches.map((id, index) => [id, `outreach ${index}`] as const),
  ])
}
