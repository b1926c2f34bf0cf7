import type { Command } from 'commander'
import { contract } from '../contract/contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, jsonOption, type Print, printJson } from './output.ts'

const help = `
Once the cause is mended, such as a token renewed or a right given there: a few of the resources that wait for it try at once, in all processes. If it answers, all work goes on; if not, it is left alone as before. Without this, pawl finds out with the next try of the work itself. What still waits once it is back: pawl retry --state waiting --system …

Prints how many resources try it. Exits with 0; 1 when no pawl answers, or when the name is unknown or the system not away; 2 for wrong options.`

/** Adds `probe`. */
export function addProbeCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  program
    .command('probe')
    .description('ask a system that is away now, before the next try')
    .argument('<system>', 'such as ehr, pharmacy or api')
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async (system: string, { json = false }: { json?: boolean }) => {
      const { resources } = await ask(contract.probe, { body: { system } })
      if (json) return printJson(print, { resources })
      print(
        resources === 0
          ? 'Nothing waits for it: the next work asks it.'
          : `${formatCount(resources, 'resource')} that ${resources === 1 ? 'waits' : 'wait'} for it ${resources === 1 ? 'tries' : 'try'} it now; see pawl status.`,
      )
    })
}
