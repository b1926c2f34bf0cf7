import type { FhirResource } from 'fhir/r4'

export interface FhirServer {
  /** The FHIR base, for createFhirEhr. */
  url: string
  /** Everything it holds of one type. */
  search<T extends FhirResource['resourceType']>(type: T): Promise<Extract<FhirResource, { resourceType: T }>[]>
  /** Requests so far, by method and type, for example `PUT Task`. */
  readonly requests: ReadonlyMap<string, number>
  /** Resources created or changed so far; an update that changes nothing does not count. */
  readonly writes: number
  /** Answers everything with 503 until told otherwise. */
  setDown(down: boolean): void
  /** Waits so long before every answer. */
  setDelay(delayMs: number): void
  /** Answers the next request with this status. */
  failNext(status: number, headers?: Record<string, string>): void
  close(): Promise<void>
}

/** A validating FHIR R4 server on a free port of 127.0.0.1. */
export async function startFhirServer(_options: { port?: number } = {}): Promise<FhirServer> {
  throw new Error('being written')
}
