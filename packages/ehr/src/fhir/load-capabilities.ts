import { EhrWriteFailed } from '../ehr-write-failed.ts'
import { type Capabilities, readCapabilities } from './capabilities.ts'
import type { ChartClient } from './chart-client.ts'

/** The server's stated capabilities; `undefined` if it states none. Throws `EhrWriteFailed` while it is down. */
export async function loadCapabilities({ metadata }: Pick<ChartClient, 'metadata'>): Promise<Capabilities | undefined> {
  try {
    return readCapabilities(await metadata())
  } catch (error) {
    // Some servers do not publish them.
    if (error instanceof EhrWriteFailed && error.retry === 'never') return undefined
    throw error
  }
}
