import { type Clock, systemClock } from '../../../clock.ts'
import { type Fetch, leanFetch } from '../../../fetch.ts'
import type { Ehr } from '../ehr.ts'
import { createFhirServerStore } from './fhir-server-store.ts'
import { createMappedEhr } from './mapped-ehr.ts'

export interface FhirEhrOptions {
  /** The server's FHIR R4 base, for example `https://ehr.example/fhir/R4`. */
  baseUrl: string
  /** Base of the identifier systems of everything that pawl writes. */
  identifierBase: string
  /** Bearer token, where the server asks for one. */
  token?: string
  fetch?: Fetch
  /** Milliseconds that one request may take. Default 15,000. */
  timeoutMs?: number
  clock?: Clock
  /** Aborts every request of this connector. */
  signal?: AbortSignal
}

/** The chart on a FHIR R4 server that knows conditional update. Its methods throw `EhrWriteFailed`, which says whether to try again. */
export function createFhirEhr(options: FhirEhrOptions): Ehr {
  const { identifierBase, clock = systemClock, fetch = leanFetch, timeoutMs = 15_000, ...server } = options
  const store = createFhirServerStore({ ...server, clock, fetch, timeoutMs })
  return createMappedEhr({ store, identifierBase, clock })
}
