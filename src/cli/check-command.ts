import type { Command } from 'commander'
import { ConfigInvalid, readConfig } from '../config.ts'
import type { CheckSample, System } from '../systems/system.ts'
import { checkSystems } from './check-systems.ts'
import { jsonOption, type Print } from './output.ts'

const help = `
Prints a line for each finding: the system, "ok" or "FAIL", and what was found. It reads the settings that pawl itself reads, and needs no running pawl.

Exits with 0 when every system can be used; 1 when one cannot; 2 when the settings are wrong.`

const ehrHelp = `
Says type by type what pawl will write to the chart, how and why, what will be missing from it, whether the credentials may look, and whether a test patient is found. It writes nothing: whether the credentials may write, the first write shows.

Exits with 0 when the chart can be used; 1 when it cannot; 2 when the settings are wrong.`

/** Adds `check`, which tries the systems of the integration as they are configured here, and `ehr check`, which tries the chart with a test patient. */
export function addCheckCommand(program: Command, print: Print): void {
  program
    .command('check')
    .description(
      'ask every system of the integration whether address and credentials will do, before the first patient',
    )
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async ({ json }: { json?: boolean }) => check(print, (systems) => systems, { json }))
  program
    .command('ehr')
    .description('look at the chart')
    .command('check')
    .description('show what pawl will write to the chart, before the first patient')
    .option('--patient <number>', "a test patient's number, as requests to the service carry it")
    .option(...jsonOption)
    .addHelpText('after', ehrHelp)
    .action(async ({ json, ...sample }: { patient?: string; json?: boolean }) => {
      await check(
        print,
        ({ ehr }) => {
          if (ehr === undefined) throw new ConfigInvalid('src/integration/index.ts names no system "ehr".')
          return { ehr }
        },
        { sample, json },
      )
    })
}

type Systems = Readonly<Record<string, System<object>>>

async function check(
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
