import type { Command } from 'commander'
import type { z } from 'zod'
import { ConfigInvalid } from '../base/errors.ts'
import { contract } from '../console/contract/contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { check } from './check-command.ts'
import { formatCount, jsonOption, type Print, printJson } from './output.ts'
import { readStdinLine } from './show-command.ts'

const checkHelp = `
Tells for each type what pawl will write to the chart, how and why, what will be missing, whether the credentials may read, and whether a test patient is found. It writes nothing, except with --write: a document on the test patient, which it then deletes or marks as entered in error, where the chart allows it.

Exits with 0 when the chart can be used; 1 when it cannot; 2 when the settings are wrong.`

const forgetHelp = `
Takes the patient's number as requests to the service carry it (internal_id or mrn), or the id of the chart's Patient; "-" reads it from the first line of standard input, so that no process list shows it. Every PA and BV of that patient searches the chart for the patient again and runs its handlers. pawl does so by itself where the chart reports that a patient was merged or deleted. The audit trail records who asked, without the number.

Exits with 0; 1 when no pawl answers, or when it remembers no such patient; 2 for wrong options.`

const backfillHelp = `
Asks the chart what it accepts now, and runs the handlers of every PA and BV with skipped writes that it now accepts. It may take minutes; run it again to continue. See the result with "pawl status".

Exits with 0; 1 when no pawl or no chart answers; 2 for wrong options.`

/** Adds `ehr check`, which checks the chart, and commands that repair links to it. */
export function addEhrCommands(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  const ehr = program.command('ehr').description('check the chart, and repair links to it')
  ehr
    .command('check')
    .description('show what pawl will write to the chart, before the first patient')
    .option('--patient <number>', "a test patient's number, as requests to the service carry it")
    .option('--write', 'write a document to the test patient, and remove it')
    .option(...jsonOption)
    .addHelpText('after', checkHelp)
    .action(async ({ json, ...sample }: { patient?: string; write?: boolean; json?: boolean }, command: Command) => {
      if (sample.write === true && sample.patient === undefined)
        command.error('Name a test patient with --patient: --write writes into a chart.')
      await check(
        print,
        ({ ehr }) => {
          if (ehr === undefined) throw new ConfigInvalid('src/integration/index.ts names no system "ehr".')
          return { ehr }
        },
        { sample, json },
      )
    })
  ehr
    .command('forget-patient')
    .description('search the chart for a patient again')
    .argument('<number>', "the patient's number or the id in the chart; - for standard input")
    .option(...jsonOption)
    .addHelpText('after', forgetHelp)
    .action(async (given: string, { json = false }: { json?: boolean }) => {
      const patient = given === '-' ? await readStdinLine() : given
      const { resources } = await ask(contract.forgetPatient, { body: { patient } })
      if (resources.length === 0) process.exitCode = 1
      if (json) printJson(print, { resources })
      else if (resources.length === 0) print('pawl remembers no such patient.')
      else print(`Forgotten for ${formatCount(resources.length, 'resource')}, now due.`)
    })
  ehr
    .command('backfill')
    .description('write what was skipped because the chart did not accept it')
    .option(...jsonOption)
    .addHelpText('after', backfillHelp)
    .action(async ({ json = false }: { json?: boolean }) => {
      let resources = 0
      let types: readonly string[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const body = { system: 'ehr', cursor }
        const step: z.infer<typeof contract.backfill.answer> = await ask(contract.backfill, { body })
        resources += step.resources
        ;({ types, cursor } = step)
      }
      if (json) printJson(print, { types, resources })
      else if (types.length === 0) print('The chart still accepts nothing: "pawl ehr check" says why.')
      else if (resources === 0) print(`Nothing the chart accepts was skipped: ${types.join(', ')}.`)
      else print(`${formatCount(resources, 'resource')} with skipped writes now due.`)
    })
}
