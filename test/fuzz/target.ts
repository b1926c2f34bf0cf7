import type fc from 'fast-check'
import type { Wire } from './raw-http.ts'

/** One attack, as a report shows it. */
export interface Attack {
  name: string
  wire: Wire
  /** Whether a server that is right may act on it. */
  mayPass: boolean
}

/** What is attacked. */
export interface Target {
  attacks: fc.Arbitrary<Attack>
  /** Lets one attack loose and looks at what it did. Throws for whatever must never come of one; resolves with the statuses of the answers. */
  strike(attack: Attack): Promise<readonly number[]>
  /** Looks at what all of them did. Throws likewise. */
  inspect(): Promise<void>
  close(): Promise<void>
}
