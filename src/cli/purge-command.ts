import type { Command } from 'commander'
import { z } from 'zod'
import { formatDuration } from '../base/format-duration.ts'
import { inSteps } from '../ledger/views/in-steps.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, formatRow, jsonOption, type Print, printJson } from './output.ts'
import { createProgressLine } from './progress-line.ts'
import { readStdinLine } from './show-command.ts'

const Step = z.object({
  resources: z.array(z.object({ id: z.string(), kind: z.string() })),
  events: z.array(z.number()),
  looked: z.number(),
  total: z.number(),
  erasedAgoMs: z.number().nullish(),
  cursor: z.string().optional(),
})
const Erased = z.object({
  removed: z.record(z.string(), z.number()),
  dropped: z.number(),
  written: z.array(z.object({ system: z.string(), type: z.string(), id: z.string() })),
})
const ErasedEvents = z.object({ bodies: z.number() })
const Wiped = z.object({ isWiped: z.boolean() })

const help = `
Looks through all that the ledger holds for the patient's internal_id, then removes of each resource that it finds the bodies of webhooks, snapshots, baselines, what effects returned, what connectors remember, lookups, the list of changes and its row of the report. It waits for a resource that is in work. Ids stay, so that late copies are recognised; work that was left to do is not done any more. With --dry-run it only tells what it found.

Have the service stop first: what it sends about the patient from then on is stored and worked on like anything new. Stopped half-way, run it again.

With - for the number it is read from standard input, so that your shell does not keep it. The audit trail holds who erased and why, never the number: name no patient in the reason.

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

/** Adds `purge`, which erases what the ledger holds of one patient. */
export function addPurgeCommand(program: Command, { ask, print, readLine = readStdinLine }: PurgeDeps): void {
  program
    .command('purge')
    .description('erase what the ledger holds of a patient, and say what stays elsewhere')
    .requiredOption('--patient <internal_id>', "the customer's own number of the patient; - reads it")
    .requiredOption('--reason <text>', 'why, for the audit trail')
    .option('--dry-run', 'only tell what would be erased')
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
      for (const { id } of found.resources) {
        const erased = await ask('/api/patients/erase', Erased, { ...asked, resource_id: id })
        for (const [what, count] of Object.entries(erased.removed)) removed[what] = (removed[what] ?? 0) + count
        for (const { system, type, id } of erased.written)
          written.set(system, [...(written.get(system) ?? []), `${type}/${id}`])
        dropped += erased.dropped
      }
      for (let at = 0; at < found.events.length; at += 1_000) {
        const events = found.events.slice(at, at + 1_000)
        const { bodies } = await ask('/api/patients/erase', ErasedEvents, { ...asked, events })
        removed.bodies = (removed.bodies ?? 0) + bodies
      }
      const { isWiped } = await ask('/api/patients/wipe', Wiped, {})
      if (json) {
        const outcome = { removed, dropped, written: Object.fromEntries(written), is_wiped: isWiped }
        printJson(print, { dry_run: false, ...found, ...outcome })
      } else tell(print, { removed, written, dropped, isWiped })
    })
}

function describeNothing(erasedAgoMs: number | null | undefined): string {
  if (erasedAgoMs === undefined) return 'The ledger holds nothing of this patient.'
  if (erasedAgoMs === null)
    return 'The ledger holds nothing of this patient, and nothing was erased under this number: check it.'
  return `The ledger holds nothing more of this patient, who was erased ${formatDuration(erasedAgoMs)} ago.`
}

async function find(ask: AskAdmin, asked: { internal_id: string; reason: string }) {
  const line = createProgressLine(process.stderr)
  const found: Pick<z.infer<typeof Step>, 'resources' | 'events' | 'erasedAgoMs'> = { resources: [], events: [] }
  let done = 0
  try {
    for await (const step of inSteps((cursor?: string) => ask('/api/patients/find', Step, { ...asked, cursor }))) {
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
  if (dropped > 0) print(formatRow('dropped', `${formatCount(dropped, 'piece')} of work that was left to do`))
  print('Stays, and is not for pawl to delete:')
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
