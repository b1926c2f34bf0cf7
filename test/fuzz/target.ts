import type fc from 'fast-check'
import type { Wire } from './raw-http.ts'

/** One attack, as a report shows it. */
export interface Attack {
  name: string
  wire: Wire
  /** Whether a server that is right may act on it. */
  mayPass: boolean
}

/** A target of attacks. */
export interface Target {
  attacks: fc.Arbitrary<Attack>
  /** Runs one attack and checks its effects. Throws for a forbidden effect; resolves with the statuses of the answers. */
  strike(attack: Attack): Promise<readonly number[]>
  /** Looks at what all of them did. Throws likewise. */
  inspect(): Promise<void>
  close(): Promise<void>
}
