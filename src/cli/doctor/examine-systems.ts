import { connectorOf, connectorsAmong } from '@pawl/connector/connector-settings'
import type { Schemas } from '../../settings/environment.ts'
import { isForks, settingAtFault } from '../../settings/parse-settings.ts'
import { isFault, type SystemsByName } from '@pawl/connector/system'
import { checkAndClose } from '../check-systems.ts'
import { fail, type Finding, ok, warn } from './finding.ts'

/** Removes all settings of a connector with an invalid one, as if it were not set up, so that the others can be made. */
export function withoutSystemsAtFault(
  env: Record<string, string | undefined>,
  faults: readonly string[],
  schemas: Schemas,
): Record<string, string | undefined> {
  const systemOf = (name: string) => connectorOf(schemas[name])?.system
  const atFault = new Set(faults.map((fault) => systemOf(settingAtFault(fault))))
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => systemOf(name) === undefined || !atFault.has(systemOf(name))),
  )
}

/** Checks address and credentials of each system, except those with invalid settings. */
export async function examineSystems(
  systems: SystemsByName,
  { faults, schemas }: { faults: readonly string[]; schemas: Schemas },
): Promise<Finding[]> {
  const connectors = new Set(connectorsAmong(schemas).map(({ system }) => system))
  const atFault = faults.map(settingAtFault)
  const findings = Object.entries(systems).map(async ([name, system]): Promise<Finding[]> => {
    const reads = (setting: string) =>
      connectors.has(name) ? connectorOf(schemas[setting])?.system === name : isForks(setting, schemas)
    if (atFault.some(reads)) {
      await system.close?.().catch(() => undefined)
      return [warn(name, 'Not checked, since its settings are wrong.', 'Correct them, then run this again.')]
    }
    const report = await checkAndClose(system)
    return report.findings.map((says) =>
      !isFault(report, says)
        ? ok(name, says)
        : fail(name, says, `Correct what this names; "pawl ${name === 'ehr' ? 'ehr check' : 'check'}" tries it again.`),
    )
  })
  return (await Promise.all(findings)).flat()
}
