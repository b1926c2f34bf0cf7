import type { Command } from 'commander'
import type { z } from 'zod'
import { ConfigInvalid } from '../base/errors.ts'
import { contract } from '../console/contract/contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { check } from './check-command.ts'
import { formatCount, jsonOption, type Print, printJson } from './output.ts'
import { readStdinLine } from './show-command.ts'

const checkHelp = `
Says type by type what pawl will write to the chart, how and why, what will be missing from it, whether the credentials may look, and whether a test patient is found. It writes nothing, unless --write has it try a document on the test patient, which it takes back: deleted, or marked as entered in error, where the chart lets it.

Exits with 0 when the chart can be used; 1 when it cannot; 2 when the settings are wrong.`

const forgetHelp = `
Takes the patient's number as requests to the service carry it (internal_id or mrn), or the id of the chart's Patient; "-" reads it from the first line of standard input, so that no list of processes shows it. Has every PA and BV of that patient look for them in the chart anew, and run its handlers. pawl does so by itself where the chart says that a patient was merged or deleted. Who asked stands in the audit trail, without the number.

Exits with 0; 1 when no pawl answers, or when it remembers no such patient; 2 for wrong options.`

const backfillHelp = `
Asks the chart what it takes now, and has the handlers run of every PA and BV of which something was left out that it takes by now. It may take minutes; run again, it does what is left. See what came of it with "pawl status".

Exits with 0; 1 when no pawl or no chart answers; 2 for wrong options.`

/** Adds `ehr`: `check`, which looks at the chart, and what mends how pawl stands with it. */
export function addEhrCommands(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  const ehr = program.command('ehr').description('look at the chart, and mend how pawl stands with it')
  ehr
    .command('check')
    .description('show what pawl will write to the chart, before the first patient')
    .option('--patient <number>', "a test patient's number, as requests to the service carry it")
    .option('--write', 'try a document on the test patient, and take it back')
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
    .description('have pawl look for a patient in the chart anew')
    .argument('<number>', "the patient's number or the id in the chart; - for standard input")
    .option(...jsonOption)
    .addHelpText('after', forgetHelp)
    .action(async (given: string, { json = false }: { json?: boolean }) => {
      const patient = given === '-' ? await readStdinLine() : given
      const { resources } = await ask(contract.forgetPatient, { body: { patient } })
      if (resources.length === 0) process.exitCode = 1
      if (json) printJson(print, { resources })
      else if (resources.length === 0) print('pawl remembers no such patient.')
      else print(`Forgotten for ${formatCount(resources.length, 'resource')}, which will be looked at now.`)
    })
  ehr
    .command('backfill')
    .description('write what was left out, as the chart did not take it then')
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
      else if (types.length === 0) print('The chart still takes nothing: "pawl ehr check" says why.')
      else if (resources === 0) print(`Nothing was left out of what the chart takes: ${types.join(', ')}.`)
      else print(`${formatCount(resources, 'resource')} will be looked at now: something was left out of them.`)
    })
}
