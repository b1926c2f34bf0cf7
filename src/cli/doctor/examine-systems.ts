import type { InspectedConfig } from '../../settings/read-config.ts'
import { settingAtFault } from '../../settings/parse-settings.ts'
import { isFault, type SystemsByName } from '@pawl/connector/system'
import { checkAndClose } from '../check-systems.ts'
import { fail, type Finding, ok, warn } from './finding.ts'

/** Prefixes of the settings of shipped systems. */
const prefixes: Readonly<Record<string, readonly string[]>> = {
  ehr: ['FHIR_', 'EHR_', 'HL7_'],
  pharmacy: ['PHARMACY_'],
}

/** Removes all settings of a system with an invalid one, as if it were not set up, so that the others can be made. */
export function withoutSystemsAtFault(
  env: Record<string, string | undefined>,
  faults: readonly string[],
): Record<string, string | undefined> {
  const hasPrefix = (name: string, all: readonly string[]) => all.some((prefix) => name.startsWith(prefix))
  const dropped = Object.values(prefixes)
    .filter((all) => faults.some((fault) => hasPrefix(fault, all)))
    .flat()
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hasPrefix(name, dropped)))
}

/** Checks address and credentials of each system, except those with invalid settings. */
export async function examineSystems(
  systems: SystemsByName,
  { faults, ownNames }: Pick<InspectedConfig, 'faults'> & { ownNames: readonly string[] },
): Promise<Finding[]> {
  const atFault = faults.map(settingAtFault)
  const findings = Object.entries(systems).map(async ([name, system]): Promise<Finding[]> => {
    const reads = (setting: string) =>
      prefixes[name]?.some((prefix) => setting.startsWith(prefix)) ?? ownNames.includes(setting)
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
