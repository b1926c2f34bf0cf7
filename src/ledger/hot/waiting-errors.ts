/** The error codes of work that waits for a hold on its handler or on a system. */
export const heldErrors = { handler: 'handler_paused', system: 'system_paused' } as const

/** Codes of failures of which it is not known yet whose fault they are: such work waits, at no cost. */
export const unconfirmedErrors = { outage: 'outage_unconfirmed', refusal: 'refusal_unconfirmed' } as const

/** The error codes of work that waits, for a hold, for a system to come back, or until it is known whose fault a failure is: such work does not fail. */
export const waitingErrors = [
  heldErrors.handler,
  heldErrors.system,
  'system_down',
  unconfirmedErrors.outage,
  unconfirmedErrors.refusal,
] as const
