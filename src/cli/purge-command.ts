import type { Command } from 'commander'
import type { z } from 'zod'
import { formatDuration } from '../base/format-duration.ts'
import { inSteps } from '../ledger/views/in-steps.ts'
import { contract } from '../console/contract/contract.ts'
import { reasonLength } from '../console/contract/reason.ts'
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
      const found = await find(ask, asked)
      const say: Print = json ? () => {} : print
      for (const { id, kind } of found.resources) say(formatRow(dryRun ? 'found' : 'erasing', `${id}  ${kind}`))
      if (found.events.length > 0)
        say(
          formatRow('found', `${formatCount(found.events.length, 'delivery')} about no resource`.replace('ys', 'ies')),
        )
      if (found.resources.length === 0 && found.events.length === 0) say(describeNothing(found.erasedAgoMs))
      if (dryRun) {
        if (json) printJson(print, { dry_run: true, ...found })
        return
      }
      const removed: Record<string, number> = {}
      const written = new Map<string, string[]>()
      let dropped = 0
      const parts = [
        ...found.resources.map(({ id }) => ({ resource_id: id })),
        ...inParts(found.events, 1_000).map((events) => ({ events })),
      ]
      for (const part of parts) {
        const answer = await ask(contract.erasePatient, { body: { ...asked, ...part } })
        const erased = 'removed' in answer ? answer : { removed: answer, dropped: 0, written: [] }
        for (const [what, count] of Object.entries(erased.removed)) removed[what] = (removed[what] ?? 0) + count
        for (const { system, type, id } of erased.written)
          written.set(system, [...(written.get(system) ?? []), `${type}/${id}`])
        dropped += erased.dropped
      }
      const { isWiped } = await ask(contract.wipe)
      if (json) {
        const outcome = { removed, dropped, written: Object.fromEntries(written), is_wiped: isWiped }
        printJson(print, { dry_run: false, ...found, ...outcome })
      } else tell(print, { removed, written, dropped, isWiped })
    })
}

function inParts<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))
}

function describeNothing(erasedAgoMs: number | null | undefined): string {
  if (erasedAgoMs === undefined) return 'The ledger holds nothing of this patient.'
  if (erasedAgoMs === null)
    return 'The ledger holds nothing of this patient, and nothing was erased under this number: check it.'
  return `The ledger holds nothing more of this patient, who was erased ${formatDuration(erasedAgoMs)} ago.`
}

async function find(ask: AskAdmin, asked: { internal_id: string; reason: string }) {
  const line = createProgressLine(process.stderr)
  const found: Pick<z.infer<typeof contract.findPatient.answer>, 'resources' | 'events' | 'erasedAgoMs'> = {
    resources: [],
    events: [],
  }
  let done = 0
  try {
    for await (const step of inSteps((cursor?: string) => ask(contract.findPatient, { body: { ...asked, cursor } }))) {
      found.resources.push(...step.resources)
      found.events.push(...step.events)
      if (step.erasedAgoMs !== undefined) found.erasedAgoMs = step.erasedAgoMs
      done += step.looked
      line.show({ done: Math.min(done, step.total), total: step.total, what: 'looked through' })
    }
  } finally {
    line.end()
  }
  return found
}

interface Outcome {
  removed: Record<string, number>
  written: Map<string, string[]>
  dropped: number
  isWiped: boolean
}

function tell(print: Print, { removed, written, dropped, isWiped }: Outcome): void {
  const counts = Object.entries(removed).filter(([, count]) => count > 0)
  const said = counts.map(([what, count]) => `${what} ${count}`).join(', ')
  print(formatRow('removed', said === '' ? 'nothing' : said))
  if (dropped > 0) print(formatRow('dropped', `${formatCount(dropped, 'piece')} of pending work`))
  print('Stays, since pawl cannot delete it:')
  for (const [system, ids] of written) print(formatRow(system, `what pawl wrote there: ${ids.join(', ')}`))
  print(formatRow('service', 'what it holds itself'))
  print(formatRow('logs', 'ids and codes, nothing of the patient'))
  print(formatRow('backups', 'of the ledger: delete them, or run this again after a restore'))
  if (!isWiped)
    print(
      formatRow('files', 'the database may keep deleted bytes until it reuses them (PostgreSQL: vacuum, and its log)'),
    )
  print('Stays in the ledger: ids and fingerprints of events, what was written where, and the audit trail.')
}
