import { type Command, InvalidArgumentError } from 'commander'
import { askOnTerminal } from './ask-on-terminal.ts'
import type { z } from 'zod'
import { showHidden } from '@pawl/base/show-hidden'
import { contract } from '../contract/contract.ts'
import type { RequestGap, StartedKind } from 'pawl-client/schemas/request-draft'
import { type AskAdmin } from './admin-client.ts'
import { formatTable, jsonOption, type Print, printJson } from './output.ts'

const help = `
Has the running pawl read a prescription of the chart, with its patient, prescriber, drug, reasons and coverage, and make a request to the service of it. Prints the request, which is about a patient, the fields that are missing, and where in the chart each would come from. On a terminal it asks for those and then whether to send. Elsewhere it sends a complete request, and lists the gaps of any other. --set fills a gap: --set prescription.days_supply=28. It never replaces a value of the chart.

From each prescription one PA and one BV are started. --again sends once more after an earlier start that got no answer: make sure first that the service has no such request. The audit trail records who looked at the draft and who sent it.

Exits with 0 when it was sent, and with --dry-run when it is complete; 1 when no pawl answers, or when chart, pawl or service refuses; 2 for wrong options; 3 when something is missing, or the answer was not to send.`

const incomplete = 3

const kinds: Readonly<Record<string, StartedKind>> = { pa: 'prior_authorization', bv: 'benefit_verification' }

interface Options {
  medicationRequest: string
  dryRun?: boolean
  set: Record<string, string>
  again?: boolean
  yes?: boolean
  json?: boolean
}

interface StartDeps {
  ask: AskAdmin
  print: Print
  /** Asks a person; absent without a terminal. */
  askPerson?: ((question: string) => Promise<string>) | undefined
}

/** Adds `start`, which sends a request made of a chart's prescription. */
export function addStartCommand(
  program: Command,
  { ask, print, askPerson = process.stdin.isTTY && process.stdout.isTTY ? askOnTerminal : undefined }: StartDeps,
): void {
  program
    .command('start')
    .description('start a PA or BV from a prescription of the chart')
    .argument('<pa|bv>', 'the kind of request', (word) => {
      const kind = kinds[word]
      if (kind === undefined) throw new InvalidArgumentError('It is pa or bv.')
      return kind
    })
    .requiredOption(
      '--medication-request <id>',
      "id of the chart's MedicationRequest, or MedicationRequest/<id>",
      (text: string) => text.replace(/^MedicationRequest\//, ''),
    )
    .option('--dry-run', 'show the request, and send nothing')
    .option('--set <field=value>', 'a value for a gap; may be repeated', readGiven, {})
    .option('--again', 'send once more after an earlier start without an answer')
    .option('--yes', 'send without asking on a terminal')
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async (kind: StartedKind, options: Options) => {
      const { medicationRequest: prescription, dryRun = false, again = false, yes = false, json = false } = options
      const person = json ? undefined : askPerson
      const draft = (given: Record<string, string>) =>
        ask(contract.draftRequest, { body: { kind, prescription, given } })
      const asksGaps = person !== undefined && !dryRun
      const { given, drafted } = await fillGaps(draft, options.set, asksGaps ? person : undefined)
      const { request, missing, leftOut, stamp, startedAs, isComplete } = drafted
      if (!json) for (const line of describeDraft({ request, missing, leftOut, startedAs })) print(line)
      const isWanted =
        !dryRun && isComplete && (person === undefined || yes || startedAs !== undefined || (await isAgreed(person)))
      if (!isWanted) {
        if (json) printJson(print, { request, missing, leftOut, startedAs })
        if (!dryRun || !isComplete) process.exitCode = incomplete
        return
      }
      // pawl refuses if a request was started before.
      const { id } = await ask(contract.startRequest, { body: { kind, prescription, given, stamp, again } })
      if (json) printJson(print, { id, request, leftOut })
      else print(`Sent: ${id}. "pawl show ${id}" follows it.`)
    })
}

/** Drafts with these values, and again with a person's answers until nothing is missing or no answer comes. */
async function fillGaps(
  draft: (given: Record<string, string>) => Promise<z.output<typeof contract.draftRequest.answer>>,
  given: Record<string, string>,
  person: StartDeps['askPerson'],
): Promise<{ given: Record<string, string>; drafted: z.output<typeof contract.draftRequest.answer> }> {
  const drafted = await draft(given)
  if (person === undefined || drafted.startedAs !== undefined || drafted.missing.length === 0) return { given, drafted }
  const answers = await askForGaps(person, drafted.missing)
  return answers === undefined ? { given, drafted } : fillGaps(draft, { ...given, ...answers }, person)
}

/** Values for all gaps; `undefined` if one cannot be asked for, or gets no answer. */
async function askForGaps(
  person: NonNullable<StartDeps['askPerson']>,
  missing: readonly RequestGap[],
): Promise<Record<string, string> | undefined> {
  // Only the chart can fill a gap of the whole prescription or patient.
  if (!missing.every(({ field }) => field.includes('.'))) return undefined
  const answers: Record<string, string> = {}
  for (const { field, from, says } of missing) {
    const answer = (await person(`${field} (${from}: ${says}): `)).trim()
    if (answer === '') return undefined
    answers[field] = answer
  }
  return answers
}

async function isAgreed(person: NonNullable<StartDeps['askPerson']>): Promise<boolean> {
  return /^y(es)?$/i.test((await person('Send it to the service? [y/N] ')).trim())
}

interface Shown {
  request: unknown
  missing: readonly RequestGap[]
  leftOut: readonly RequestGap[]
  startedAs: string | undefined
}

function describeDraft({ request, missing, leftOut, startedAs }: Shown): string[] {
  const gaps = (gaps: readonly RequestGap[]) =>
    formatTable(gaps.map(({ field, from, says }) => [`  ${field}`, from, says]))
  return [
    ...formatTable(fieldsOf(request, '')),
    ...(missing.length === 0 ? [] : ['', 'Missing:', ...gaps(missing)]),
    ...(leftOut.length === 0 ? [] : ['', 'Recommended, left out:', ...gaps(leftOut)]),
    '',
    ...(startedAs === undefined ? [] : [`${startedAs} was already started from this prescription.`]),
  ]
}

/** Each value with its path. */
function fieldsOf(value: unknown, path: string): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[path, showHidden(String(value))]]
  return Object.entries(value).flatMap(([name, each]: [string, unknown]) =>
    fieldsOf(each, path === '' ? name : `${path}.${name}`),
  )
}

function readGiven(text: string, others: Record<string, string>): Record<string, string> {
  const [, field, value] = /^([a-z_0-9]+(?:\.[a-z_0-9]+)*)=(.+)$/s.exec(text) ?? []
  if (field === undefined || value === undefined)
    throw new InvalidArgumentError('Give field=value, such as patient.gender=female.')
  return { ...others, [field]: value }
}
