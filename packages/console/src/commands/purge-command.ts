import type { Command } from 'commander'
import { formatDuration } from '@pawl/base/format-duration'
import { contract } from '../contract/contract.ts'
import { reasonLength } from '../contract/reason.ts'
import {
  eraseFound,
  type ErasureOutcome,
  type ErasureSteps,
  findPatientData,
  type FoundData,
  keepsBytes,
  sayNothingFound,
  staysElsewhere,
  staysInLedger,
} from '../contract/erase-patient.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, formatRow, jsonOption, type Print, printJson } from './output.ts'
import { createProgressLine } from './progress-line.ts'
import { readStdinLine } from './show-command.ts'

const help = `
Searches the whole ledger for the patient's internal_id. From each resource found it removes the bodies of webhooks, snapshots, baselines, results of effects, notices of the feed, connectors' memory, lookups, the list of changes and the row of the report. It waits for a resource in work. Ids stay, so that late copies are recognised; pending work is dropped. With --dry-run it only lists the findings.

Have the service stop first: anything it sends about the patient later is stored and processed as new. Stopped half-way, run it again.

With - for the number it is read from standard input, so that your shell does not keep it. The audit trail records who erased and why, never the number: name no patient in the reason.

Exits with 0, also when nothing was found; 1 when no pawl answers, or when a resource stays in work; 2 for wrong options.`

interface Options {
  patient: string
  reason: string
  dryRun?: boolean
  json?: boolean
}

interface PurgeDeps {
  ask: AskAdmin
  print: Print
  /** Default: the first line of standard input. */
  readLine?: () => Promise<string>
}

/** Adds `purge`, which erases one patient from the ledger. */
export function addPurgeCommand(program: Command, { ask, print, readLine = readStdinLine }: PurgeDeps): void {
  program
    .command('purge')
    .description('erase a patient from the ledger, and list what stays elsewhere')
    .requiredOption('--patient <internal_id>', "the customer's own number of the patient; - reads it")
    .requiredOption('--reason <text>', `why, in ${reasonLength}, for the audit trail`)
    .option('--dry-run', 'only list what would be erased')
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async ({ patient, reason, dryRun = false, json = false }: Options) => {
      const asked = { internal_id: patient === '-' ? await readLine() : patient, reason }
      const steps: ErasureSteps = {
        find: (cursor) => ask(contract.findPatient, { body: { ...asked, cursor } }),
        erase: (part) => ask(contract.erasePatient, { body: { ...asked, ...part } }),
        wipe: async () => (await ask(contract.wipe)).isWiped,
      }
      const found = await findShown(steps)
      const say: Print = json ? () => {} : print
      for (const { id, kind } of found.resources) say(formatRow(dryRun ? 'found' : 'erasing', `${id}  ${kind}`))
      if (found.events.length > 0)
        say(
          formatRow('found', `${formatCount(found.events.length, 'delivery')} about no resource`.replace('ys', 'ies')),
        )
      if (found.resources.length === 0 && found.events.length === 0) say(sayNothingFound(found, formatDuration))
      if (dryRun) {
        if (json) printJson(print, { dry_run: true, ...found })
        return
      }
      const outcome = await eraseFound(steps, found)
      const { removed, dropped, written, isWiped } = outcome
      if (json) printJson(print, { dry_run: false, ...found, removed, dropped, written, is_wiped: isWiped })
      else tell(print, outcome)
    })
}

async function findShown(steps: ErasureSteps): Promise<FoundData> {
  const line = createProgressLine(process.stderr)
  try {
    return await findPatientData(steps, (progress) => line.show({ ...progress, what: 'looked through' }))
  } finally {
    line.end()
  }
}

function tell(print: Print, { removed, written, dropped, isWiped }: ErasureOutcome): void {
  const counts = Object.entries(removed).filter(([, count]) => count > 0)
  const said = counts.map(([what, count]) => `${what} ${count}`).join(', ')
  print(formatRow('removed', said === '' ? 'nothing' : said))
  if (dropped > 0) print(formatRow('dropped', `${formatCount(dropped, 'piece')} of pending work`))
  print('Stays, since pawl cannot delete it:')
  for (const [system, ids] of Object.entries(written))
    print(formatRow(system, `what pawl wrote there: ${ids.join(', ')}`))
  for (const [where, what] of Object.entries(staysElsewhere)) print(formatRow(where, what))
  if (!isWiped) print(formatRow('files', keepsBytes))
  print(staysInLedger)
}
