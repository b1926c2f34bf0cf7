import type { Command } from 'commander'
import type { z } from 'zod'
import { loadIntegration } from '../work/load-integration.ts'
import { ConfigInvalid } from '@pawl/base/errors'
import { integrationFile } from '@pawl/base/integration-file'
import { contract } from '@pawl/console/contract/contract'
import type { AskAdmin } from '@pawl/console/commands/admin-client'
import { readConfig } from '../settings/read-config.ts'
import { isDisorder } from '@pawl/base/system-notes'
import type { CheckSample } from '@pawl/connector/system'
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
Reads back, freshly, what the chart holds: each record that the ledger remembers by its id, and what a search by patient and by pawl's identifiers finds besides. A line says how each stands:
  same        as pawl wrote it
  elsewhere   others changed the rest, or withdrew it, which pawl leaves to them
  missing     the chart has it no more
  changed     others changed pawl's part of it
  twice       a second live record of the same
  orphaned    a live record of pawl's that the ledger does not remember
  unreadable  the chart does not show it to these credentials
It prints ids, codes and dates alone, and names the types that the chart cannot be searched for.

Of one PA or BV, the running pawl reads and prints all. With --mend it has what is missing or changed written again, remembers an orphan in whose place nothing stands, marks what else is superfluous as entered in error, or cancels or deletes it, and says what it did to each; the audit trail has it. A resource in work is waited for, up to half a minute.

Without an id, it reads all and prints what is not the same. It then writes nothing, needs no running pawl, and may run beside one, with the same settings; resources in work are left out.

Exits with 0; 1 when something is missing, changed, twice, orphaned or unreadable and was not mended, or when pawl, the chart or the ledger cannot be read; 2 for wrong options or settings.`

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
    .description('show what the chart holds of a PA or BV, or compare all of it with the ledger')
    .argument('[id]', 'one resource, which the running pawl reads; absent: all')
    .option('--mend', 'mend what is found, of one resource')
    .option(
      '--since <when>',
      'only resources read from the service since a date-time, or an age: 90m, 6h, 7d',
      readSince,
    )
    .option(...jsonOption)
    .addHelpText('after', verifyHelp)
    .action(async (id: string | undefined, options: VerifyFlags, command: Command) => {
      const { mend = false, since } = options
      if (id !== undefined && since !== undefined) command.error('Name a resource, or --since.')
      if (id === undefined && mend) command.error('--mend needs the id of a resource.')
      if (id !== undefined) return verifyOne({ ask, print }, id, options)
      const isInOrder = await verifyAll(print, options)
      // Handles that a connector left open must not keep the process alive; flush the output first.
      process.stdout.write('', () => process.exit(isInOrder ? 0 : 1))
    })
}

interface VerifyFlags {
  mend?: boolean
  since?: Date
  json?: boolean
}

async function verifyOne(
  { ask, print }: { ask: AskAdmin; print: Print },
  id: string,
  { mend = false, json = false }: VerifyFlags,
): Promise<void> {
  const found = await ask(contract.verify, { id, body: { mend } })
  const isLeft = ({ is, mended }: ChartRecord) => isDisorder(is) && (mended === undefined || mended === 'left')
  if (found.records.some(isLeft)) process.exitCode = 1
  if (json) return printJson(print, found)
  for (const record of found.records) {
    print(lineOf(record))
    if (record.mended !== undefined) print(formatRow('', record.mended))
  }
  if (found.records.length === 0) print('The chart holds nothing of it.')
  if (found.unsearched.length > 0) print(formatRow('unsearched', found.unsearched.join(', ')))
}

type ChartRecord = z.infer<typeof contract.verify.answer>['records'][number]

function lineOf({ is, type, id, what, at, status }: Omit<ChartRecord, 'link' | 'mended'>, resource?: string): string {
  const told = [`${type}/${id}`, resource, what, at, status].filter((part) => part !== undefined)
  return formatRow(is, told.join('  '))
}

/** Compares the chart with the ledger. Resolves with true if nothing is in disorder. */
async function verifyAll(print: Print, { since, json = false }: VerifyFlags): Promise<boolean> {
  // Imported lazily: it loads all of pawl.
  const integration = await loadIntegration()
  const { systemsOf } = await import('../work/integration.ts')
  const { verifySystem } = await import('./verify-system.ts')
  const { verifiable } = await import('../work/verify/read-back.ts')
  const { databaseUrl, sealingKeys, acceptsPlain, settings } = readConfig(process.env, integration.settings)
  const systems = systemsOf(integration, settings)
  const ehr = verifiable(systems).find(({ name }) => name === 'ehr')
  if (ehr === undefined) {
    throw new ConfigInvalid(
      `${integrationFile()} names no system "ehr" that can be read back: that takes FHIR_BASE_URL, since HL7 v2 takes documents and shows none.`,
    )
  }
  const differences: FoundDifference[] = []
  const line = process.stderr.isTTY ? createProgressLine(process.stderr) : undefined
  try {
    const verified = await verifySystem({
      ...ehr,
      databaseUrl,
      sealingKeys,
      acceptsPlain,
      since: since?.getTime(),
      signal: new AbortController().signal,
      onProgress: (progress) => line?.show({ ...progress, what: 'resources' }),
      onDifference(difference) {
        const { role: _role, ...told } = difference
        differences.push(told)
        line?.end()
        if (!json) print(lineOf(difference, difference.resource))
      },
    })
    line?.end()
    const { counts, isInOrder, ...rest } = verified
    if (json) printJson(print, { ...rest, ...counts, differences })
    else for (const text of describeVerified(verified)) print(text)
    return isInOrder
  } finally {
    line?.end()
    await ehr.system.close?.()
  }
}

function describeVerified({ records, resources, inWork, unsearched, counts }: Verified): string[] {
  return [
    formatRow('compared', `${formatCount(records, 'record')} of ${formatCount(resources, 'resource')}`),
    ...(inWork === 0 ? [] : [formatRow('in work', `${formatCount(inWork, 'resource')}, not compared`)]),
    ...(unsearched.length === 0 ? [] : [formatRow('unsearched', unsearched.join(', '))]),
    ...Object.entries(counts).map(([is, count]) => formatRow(is, count)),
  ]
}
