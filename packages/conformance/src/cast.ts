import type { Differing } from './compare-systems.ts'

/** Resources that the steps of one run created, in order, and results of some steps. */
export interface Cast {
  priorAuthorizations: string[]
  benefitVerifications: string[]
  /** Outreach attempts. */
  outreaches: string[]
  /** Index of the patient of each resource. */
  patients: Map<string, number>
  /** The BV that each PA triggered. */
  verifying: Map<string, string>
  messages: number
  /** The PA of each message or call, by its count. */
  textOwners: Map<number, string>
  /** The PA under each appeal. */
  appeals: Map<string, string>
  /** The PA of each outreach attempt. */
  prescriberOf: Map<string, string>
  /** Resources with a lost webhook. */
  dropped: Set<string>
  /** PAs that the service answered with unknown values. */
  unknownIds: Set<string>
  /** pawl's answers to strange deliveries. */
  strange: { what: 'unknown values' | 'wrong secret'; status: number }[]
  clockChanges: number
  /** When the final sync of all resources began, if everything had settled before; monotonic clock, milliseconds. */
  finalSyncAt: number | undefined
  /** When everything had settled; monotonic clock, milliseconds. */
  settledAt: number[]
  /** Start and end of each wait after this many steps that timed out unsettled. */
  unsettled: { step: number; from: number; to: number }[]
  /** Where chart and pharmacy differed from the service once settled after this many steps. */
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
    prescriberOf: new Map(),
    dropped: new Set(),
    unknownIds: new Set(),
    strange: [],
    clockChanges: 0,
    finalSyncAt: undefined,
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
