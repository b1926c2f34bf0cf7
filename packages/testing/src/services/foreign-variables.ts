import { ehrSettings } from '@pawl/ehr'
import { pharmacySettings } from '@pawl/pharmacy'
import { Environment } from '../../../../src/settings/environment.ts'

const own = { ...Environment.shape, ...ehrSettings, ...pharmacySettings }

/** The environment's variables, except the settings of pawl and its connectors. */
export function foreignVariables(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && !(name in own)) variables[name] = value
  return variables
}
