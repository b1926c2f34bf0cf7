/** What the steps of one run created, in order, and what came of some of them. */
export interface Cast {
  priorAuthorizations: string[]
  benefitVerifications: string[]
  messages: number
  /** Resources of which a webhook was lost on the way. */
  dropped: Set<string>
  /** PAs for which the service answered with values that nobody knows. */
  unknownIds: Set<string>
  /** What pawl answered to strange deliveries. */
  strange: { what: 'unknown values' | 'wrong secret'; status: number }[]
  /** How often the clock was set. */
  clockChanges: number
}

/** Makes an empty cast. */
export function createCast(): Cast {
  return {
    priorAuthorizations: [],
    benefitVerifications: [],
    messages: 0,
    dropped: new Set(),
    unknownIds: new Set(),
    strange: [],
    clockChanges: 0,
  }
}

/** Names for the report, by id. */
export function labelsOf({ priorAuthorizations, benefitVerifications }: Cast): Map<string, string> {
  return new Map([
    ...priorAuthorizations.map((id, index) => [id, `PA ${index}`] as const),
    ...benefitVerifications.map((id, index) => [id, `BV ${index}`] as const),
  ])
}
