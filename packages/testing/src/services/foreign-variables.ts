import { Environment } from '../../../../src/settings/environment.ts'

/** The environment's variables, except pawl's own settings. */
export function foreignVariables(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && !(name in Environment.shape)) variables[name] = value
  return variables
}
