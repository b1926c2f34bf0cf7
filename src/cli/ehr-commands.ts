import type { Command } from 'commander'
import type { z } from 'zod'
import { loadIntegration } from '../work/load-integration.ts'
import { ConfigInvalid } from '@pawl/base/errors'
import { integrationFile } from '@pawl/base/integration-file'
import { contract } from '@pawl/console/contract/contract'
import type { AskAdmin } from '@pawl/console/commands/admin-client'
import { readConfig } from '../settings/read-config.ts'
import type { CheckSample, Difference } from '@pawl/connector/system'
import { check } from './check-command.ts'
import { formatCount, formatRow, jsonOption, type Print, printJson } from '@pawl/console/commands/output'
import { createProgressLine } from '@pawl/console/commands/progress-line'
import { readSince } from '@pawl/console/commands/read-since'
import { readStdinLine } from '@pawl/console/commands/show-command'
import type { FoundDifference, Verified } from './verify-system.ts'

const checkHelp = `
Tells for each type what pawl will write to the chart, how and why, what will be missing, whether the credentials may read, and whether a test patient is found. It holds what the chart's vendor demands against the settings, and names what would be refused with the setting that mends it. It writes nothing, except with --write: one of each type and kind of document on the test patient, each of which it reads back, compares by the names of fields, and then deletes or marks as entered in error, where the chart allows it. To a listener of HL7 v2, --write sends a test document and its end; without it, the check opens a connection and sends nothing.

Exits with 0 when the chart can be used; 1 when it cannot; 2 when the settings are wrong.`

const forgetHelp = `
Takes the patient's number as requests to the service carry it (internal_id or mrn), or the id of the chart's Patient; "-" reads it from the first line of standard input, so that no process list shows it. Every PA and BV of that patient searches the chart for the patient again and runs its handlers. pawl does so by itself where the chart reports that a patient was merged or deleted. The audit trail records who asked, without the number.

Exits with 0; 1 when no pawl answers, or when it remembers no such patient; 2 for wrong options.`

const backfillHelp = `
Asks the chart what it accepts now, and runs the handlers of every PA and BV with skipped writes that it now accepts. It may take minutes; run it again to continue. See the result with "pawl status".

Exits with 0; 1 when no pawl or no chart answers; 2 for wrong options.`

const verifyHelp = `
Reads every record of the chart that the ledger remembers, by its id, and prints a line for each that differs:
  missing     the chart has it no more
  changed     others changed pawl's part of it
  elsewhere   others changed the rest, which pawl leaves to them
  unreadable  the chart does not show it to these credentials

It writes nothing, needs no running pawl, and may run beside one, with the same settings; resources in work are left out. "pawl sync <id>" has what is missing or changed written again.

Exits with 0; 1 when something is missing, changed or unreadable, or when the chart or the ledger cannot be read; 2 for wrong options or settings.`

/** Adds `ehr check`, which checks the chart, and commands that repair links to it. */
export function addEhrCommands(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  const ehr = program.command('ehr').description('check the chart, compare it with the ledger, and repair links to it')
  ehr
    .command('check')
    .description('show what pawl will write to the chart, before the first patient')
    .option('--patient <number>', "a test patient's number, as requests to the service carry it")
    .option('--write', 'write one of each type and kind to the test patient, compare, and take them back')
    .option('--npi <number>', 'NPI of a prescriber in the chart, for --write where the chart demands one')
    .option(...jsonOption)
    .addHelpText('after', checkHelp)
    .action(async ({ json, ...sample }: CheckSample & { json?: boolean }, command: Command) => {
      if (sample.write === true && sample.patient === undefined)
        command.error('Name a test patient with --patient: --write writes into a chart.')
      await check(
        print,
        ({ ehr }) => {
          if (ehr === undefined) throw new ConfigInvalid(`${integrationFile()} names no system "ehr".`)
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
  ehr
    .command('verify')
    .description('compare the chart with everything that pawl remembers of it')
    .option(
      '--since <when>',
      'only resources read from the service since a date-time, or an age: 90m, 6h, 7d',
      readSince,
    )
    .option(...jsonOption)
    .addHelpText('after', verifyHelp)
    .action(async (options: { since?: Date; json?: boolean }) => {
      const isSame = await verify(print, options)
      // Handles that a connector left open must not keep the process alive; flush the output first.
      process.stdout.write('', () => process.exit(isSame ? 0 : 1))
    })
}

/** Compares the chart with the ledger. Resolves with true if pawl's records are as pawl wrote them. */
async function verify(print: Print, { since, json = false }: { since?: Date; json?: boolean }): Promise<boolean> {
  // Imported lazily: it loads all of pawl.
  const integration = await loadIntegration()
  const { systemsOf } = await import('../work/integration.ts')
  const { verifySystem } = await import('./verify-system.ts')
  const { databaseUrl, sealingKeys, acceptsPlain, settings } = readConfig(process.env, integration.settings)
  const { ehr } = systemsOf(integration, settings)
  if (ehr?.verify === undefined) {
    throw new ConfigInvalid(`${integrationFile()} names no system "ehr" that can be compared: set FHIR_BASE_URL.`)
  }
  const differences: FoundDifference[] = []
  const line = process.stderr.isTTY ? createProgressLine(process.stderr) : undefined
  try {
    const verified = await verifySystem({
      databaseUrl,
      sealingKeys,
      acceptsPlain,
      name: 'ehr',
      system: ehr,
      since: since?.getTime(),
      signal: new AbortController().signal,
      onProgress: (progress) => line?.show({ ...progress, what: 'resources' }),
      onDifference(difference) {
        differences.push(difference)
        const { is, resource, type, id } = difference
        line?.end()
        if (!json) print(`${is.padEnd(10)} ${type}/${id}  ${resource}`)
      },
    })
    line?.end()
    const counts = countBy(differences)
    if (json) printJson(print, { ...verified, ...counts, differences })
    else for (const text of describeVerified(verified, counts)) print(text)
    return differences.every(({ is }) => is === 'elsewhere')
  } finally {
    line?.end()
    await ehr.close?.()
  }
}

type Counts = Record<Difference['is'], number>

function countBy(differences: readonly Difference[]): Counts {
  const counts: Counts = { missing: 0, changed: 0, elsewhere: 0, unreadable: 0 }
  for (const { is } of differences) counts[is] += 1
  return counts
}

function describeVerified({ records, resources, inWork }: Verified, counts: Counts): string[] {
  return [
    formatRow('compared', `${formatCount(records, 'record')} of ${formatCount(resources, 'resource')}`),
    ...(inWork === 0 ? [] : [formatRow('in work', `${formatCount(inWork, 'resource')}, not compared`)]),
    ...Object.entries(counts).map(([is, count]) => formatRow(is, count)),
  ]
}
