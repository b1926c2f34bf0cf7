import type { Command } from 'commander'
import { contract } from '../contract/contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, jsonOption, type Print, printJson } from './output.ts'

const help = `
Run it once the cause is fixed, such as a renewed token or a granted right. A few of the resources that wait for the system try it at once, in all processes. If it answers, all work resumes; if not, the work waits as before. Without this command, pawl tries the system again by itself. For work that still waits once it is back: pawl retry --state waiting --system …

Prints how many resources try it. Exits with 0; 1 when no pawl answers, or when the name is unknown or the system not away; 2 for wrong options.`

/** Adds `probe`. */
export function addProbeCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  program
    .command('probe')
    .description('try a system that is away now, before pawl does by itself')
    .argument('<system>', 'such as ehr, pharmacy or api')
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async (system: string, { json = false }: { json?: boolean }) => {
      const { resources } = await ask(contract.probe, { body: { system } })
      if (json) return printJson(print, { resources })
      print(
        resources === 0
          ? 'No work waits for it: the next work tries it.'
          : `${formatCount(resources, 'resource')} that ${resources === 1 ? 'waits' : 'wait'} for it ${resources === 1 ? 'tries' : 'try'} it now; see pawl status.`,
      )
    })
}
