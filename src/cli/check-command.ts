import type { Command } from 'commander'
import { readConfig } from '../settings/read-config.ts'
import type { CheckSample, System } from '../systems/system.ts'
import { checkSystems } from './check-systems.ts'
import { jsonOption, type Print } from './output.ts'

const help = `
Prints a line for each finding: the system, "ok" or "FAIL", and what was found. It reads the settings that pawl itself reads, and needs no running pawl.

Exits with 0 when every system can be used; 1 when one cannot; 2 when the settings are wrong.`

/** Adds `check`, which tries the systems of the integration as they are configured here. */
export function addCheckCommand(program: Command, print: Print): void {
  program
    .command('check')
    .description(
      'ask every system of the integration whether address and credentials will do, before the first patient',
    )
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async ({ json }: { json?: boolean }) => check(print, (systems) => systems, { json }))
}

type Systems = Readonly<Record<string, System<object>>>

/** Checks the systems that `choose` picks of the integration's, prints what was found, and ends the process with what came of it. */
export async function check(
  print: Print,
  choose: (systems: Systems) => Systems,
  { sample = {}, json }: { sample?: CheckSample; json?: boolean | undefined },
): Promise<void> {
  // Loaded here alone: no other command needs handlers and connectors, and they take a while.
  const { default: integration } = await import('../integration/index.ts')
  const { systemsOf } = await import('../work/integration.ts')
  const { settings } = readConfig(process.env, integration.settings)
  const isFine = await checkSystems(choose(systemsOf(integration, settings)), print, { sample, json })
  // What a check that did not return left open must not keep the process alive; what was printed goes out first.
  process.stdout.write('', () => process.exit(isFine ? 0 : 1))
}
