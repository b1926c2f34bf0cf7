import type { Command } from 'commander'
import { loadIntegration } from '../work/load-integration.ts'
import { readSystemSettings } from '../settings/read-config.ts'
import type { CheckSample, System } from '@pawl/connector/system'
import { checkSystems } from './check-systems.ts'
import { jsonOption, type Print } from '@pawl/console/commands/output'

const help = `
Prints a line for each finding: the system, "ok" or "FAIL", and the result. It reads pawl's own settings and needs no running pawl.

Exits with 0 when every system can be used; 1 when one cannot; 2 when the settings are wrong.`

/** Adds `check`, which checks the systems of the integration as configured here. */
export function addCheckCommand(program: Command, { print }: { print: Print }): void {
  program
    .command('check')
    .description('check address and credentials of every system of the integration, before the first patient')
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async ({ json }: { json?: boolean }) => check(print, (systems) => systems, { json }))
}

type Systems = Readonly<Record<string, System<object>>>

/** Checks the systems of the integration that `choose` picks, prints the findings, and exits with 0 or 1. */
export async function check(
  print: Print,
  choose: (systems: Systems) => Systems,
  { sample = {}, json }: { sample?: CheckSample; json?: boolean | undefined },
): Promise<void> {
  // Imported lazily: handlers and connectors load slowly.
  const integration = await loadIntegration()
  const { systemsOf } = await import('../work/integration.ts')
  const settings = readSystemSettings(process.env, integration.settings)
  const isFine = await checkSystems(choose(systemsOf(integration, settings)), print, { sample, json })
  // A check that hangs must not keep the process alive; flush the output first.
  process.stdout.write('', () => process.exit(isFine ? 0 : 1))
}
