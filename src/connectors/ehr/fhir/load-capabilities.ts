import { EhrWriteFailed } from '../ehr-write-failed.ts'
import { type Capabilities, readCapabilities } from './capabilities.ts'
import type { ChartClient } from './chart-client.ts'

/** What the server says that it takes; `undefined` where it says nothing that FHIR knows. Throws `EhrWriteFailed` where it is away. */
export async function loadCapabilities({ metadata }: Pick<ChartClient, 'metadata'>): Promise<Capabilities | undefined> {
  try {
    return readCapabilities(await metadata())
  } catch (error) {
    // Some servers keep it to themselves.
    if (error instanceof EhrWriteFailed && error.retry === 'never') return undefined
    throw error
  }
}
