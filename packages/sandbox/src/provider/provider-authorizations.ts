import type { ProviderAuthorizationRequest } from 'pawl-client/schemas/provider'
import type { Organization } from '../access/organizations.ts'
import type { Platform } from '../platform.ts'
import { withCountry } from '../files/country.ts'
import { chooseLegal } from '../platform/choose-legal.ts'
import { refuse } from '../platform/refusal.ts'
import type { Machine } from '../platform/machine.ts'
import { createWalk } from '../platform/walk.ts'
import type { ProviderAuthorizationRecord } from './record.ts'
import { providerAuthorizationRows, type ProviderAuthorizationState } from './states.ts'

/** Dependencies on other kinds of resources. */
interface Deps {
  /** Called once a provider has signed. */
  signed: (organizationId: string, npi: string) => void
}

/** All operations on provider authorizations (specification, POST /provider/authorize; supplement, Other endpoints). */
export type ProviderAuthorizations = ReturnType<typeof createProviderAuthorizations>

/** Providers sign by themselves after a while. */
export function createProviderAuthorizations(platform: Platform, deps: Deps) {
  const { random, clock } = platform
  const shelf = platform.store.shelf<ProviderAuthorizationRecord>('provider_authorization')
  const machine: Machine<ProviderAuthorizationRecord, ProviderAuthorizationState, never> = {
    name: 'provider_authorization',
    rows: providerAuthorizationRows,
    conditions: {},
    progressOf: (record) => record.progress,
    entered: ({ resource, organization }, state) => {
      if (state !== 'signed') return
      resource.signed_at = clock.iso()
      deps.signed(organization, resource.npi)
    },
  }
  const walk = createWalk({ ...platform, ...shelf, machine })
  const listOwn = ({ id }: Organization) => shelf.listOwn(id)

  return {
    /** One per NPI or e-mail address within an organization; else `PROVIDER_AUTHORIZATION_ALREADY_INITIATED`. */
    initiate: (organization: Organization, request: ProviderAuthorizationRequest): void => {
      const email = request.email?.toLowerCase()
      const isInitiated = listOwn(organization).some(
        ({ resource }) =>
          resource.npi === request.npi || (email !== undefined && resource.email?.toLowerCase() === email),
      )
      if (isInitiated) throw refuse('PROVIDER_AUTHORIZATION_ALREADY_INITIATED')
      const record: ProviderAuthorizationRecord = {
        kind: 'provider_authorization',
        id: `prov_auth_${random.letters(20)}`,
        organization: organization.id,
        resource: { ...withCountry(request), signed_at: null },
        progress: { state: 'initiated', visited: [] },
      }
      shelf.save(record)
      walk.start(record)
    },
    /** Providers who have signed, oldest first. */
    signed: (organization: Organization) =>
      listOwn(organization)
        .map(({ resource }) => resource)
        .filter(({ signed_at }) => signed_at !== null),
    list: () => shelf.list().map(({ resource }) => resource),
    /** Whether an authorization was initiated but not signed. */
    isAsked: (organizationId: string, npi: string): boolean =>
      shelf.listOwn(organizationId).some(({ resource }) => resource.npi === npi && resource.signed_at === null),
    isSigned: (organization: Organization, npi: string): boolean =>
      listOwn(organization).some(({ resource }) => resource.npi === npi && resource.signed_at !== null),
    /** Signs now; throws `Refusal` 404 if none was initiated, 409 if it is signed. */
    sign: (organization: Organization, npi: string): ProviderAuthorizationState => {
      const record = listOwn(organization).find(({ resource }) => resource.npi === npi)
      if (record === undefined) throw refuse('not_found')
      walk.move(record, chooseLegal(record.progress.state, 'signed', walk.legal(record)))
      return record.progress.state
    },
    /** Runners of due transitions, by machine name. */
    runners: { provider_authorization: walk.runDue },
  }
}
