import type { PriorAuthorizationRequest } from '../../../resources/requests/prior-authorization.ts'
import type { Refusal } from '../../platform/refusal.ts'
import type { Organization } from '../../access/organizations.ts'
import type { Store } from '../../platform/store.ts'

/** All that a rule may look at. */
export interface Circumstances {
  request: PriorAuthorizationRequest
  organization: Organization
  store: Store
  /** Sandbox time, ms since 1970. */
  now: number
  isActiveNpi: (npi: string) => boolean
  isAuthorized: (npi: string) => boolean
}

/** The refusal of a PA creation that the schema alone cannot give; undefined where there is nothing to refuse. */
export type Rule = (about: Circumstances) => Refusal | undefined
