import { control, type Control } from '../platform/control.ts'
import type { Organizations } from '../access/organizations.ts'
import type { ProviderAuthorizations } from './provider-authorizations.ts'

/** Controls over provider authorizations. */
export interface ProviderControls {
  /** Signs an initiated authorization; returns the new state. */
  signProvider(npi: string, organization?: string): { npi: string; state: string }
}

export function providerControls(deps: {
  organizations: Organizations
  providerAuthorizations: Pick<ProviderAuthorizations, 'sign'>
}): ProviderControls {
  const { organizations, providerAuthorizations } = deps
  return {
    signProvider: (npi, organization) => ({
      npi,
      state: providerAuthorizations.sign(organizations.get(organization), npi),
    }),
  }
}

export const providerControlRoutes = (controls: ProviderControls): Control[] => [
  control(
    'POST /organizations/:organization/providers/:npi/sign',
    { summary: 'Sign an initiated provider authorization' },
    ({ npi, organization }) => controls.signProvider(npi, organization),
  ),
]
