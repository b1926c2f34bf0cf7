import type { Clock } from '../../../clock.ts'
import type { Ehr } from '../ehr.ts'

export interface FhirEhrOptions {
  /** The server's FHIR R4 base, for example `https://ehr.example/fhir/R4`. */
  baseUrl: string
  /** Base of the identifier systems of everything that pawl writes. */
  identifierBase: string
  /** Bearer token, where the server asks for one. */
  token?: string
  fetch?: typeof globalThis.fetch
  /** Milliseconds that one request may take. Default 15,000. */
  timeoutMs?: number
  clock?: Clock
  /** Aborts every request of this connector. */
  signal?: AbortSignal
}

/** The chart on a FHIR R4 server. */
export function createFhirEhr(_options: FhirEhrOptions): Ehr {
  throw new Error('being written')
}
