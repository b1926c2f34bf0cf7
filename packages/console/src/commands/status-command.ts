import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { integrationFile } from '@pawl/base/integration-file'
import { ConfigInvalid, PawlError } from '@pawl/base/errors'
import { type Status, statusContract } from '../contract/status-contract.ts'
import { sayFinding } from '../contract/status-verdict.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, formatDuration, formatRow, jsonOption, type Print, printJson } from './output.ts'
import { describeAlert, describeTarget } from './alerts-command.ts'
import { describePause } from './pause-commands.ts'
import { readNumber } from './read-number.ts'
import { describeWithoutHandler } from './without-handler.ts'

// Read when it is shown: it names a file of the project.
const help = () => `
Prints how pawl stands and what to do, then how many there are of
  events      stored; copies count with their event
  unhandled   events that no handler can follow: of an unknown type, or without a resource
  resources   known to the ledger
  due         resources with work to do, now or later
  oldest due  how long the oldest due work has been due
  waiting     pieces of work, by handler, that wait for a pause or for a system that is away, since the first event of the oldest; while all work is paused, due work waits, too
  parked      pieces of work that were given up: see "pawl parked"
  to poll     resources due for a poll now
  unreadable  resources of a "pawl reconcile" that could not be read and are retried
  failing     pieces of work that failed and will be retried, by handler, with the oldest of each
  no handler  pieces of work, parked or failed, whose handler is no longer in ${integrationFile()}, by handler
  refused     deliveries of the last 24 hours that were refused, by reason, with what to check
  api budget  for each rate limit of the service, the endpoint with the smallest share left, as last reported to the answering process
  paused      pauses, for how long and why: see "pawl resume"
  alerts      alerts that are open: see "pawl alerts"
Where it applies, it adds: little room on the ledger's disk, a queue server that does not answer, an audit trail altered within the last week, sealing that is off or being turned on, systems that are away, for how long and why, systems that accept no writes, for how many resources and why, and targets that alerts do not reach.

Exits with 0; 1 when no pawl answers, or when alerts do not reach a target; 2 for wrong options. With --watch it ends when interrupted.`

interface StatusDeps {
  ask: AskAdmin
  print: Print
  clear: () => void
}

/** Adds `status`, which prints the state of a running pawl. */
export function addStatusCommand(program: Command, { ask, print, clear }: StatusDeps): void {
  program
    .command('status')
    .description('show how pawl stands, the counts of the ledger, failures, refusals, and systems that are away')
    .addOption(
      new Option('--watch [seconds]', 'again and again, until interrupted').argParser(readNumber(1, 3_600)).preset(2),
    )
    .addOption(new Option(...jsonOption).conflicts('watch'))
    .addHelpText('after', help)
    .action(async ({ json = false, watch }: { json?: boolean; watch?: number }) => {
      if (watch !== undefined) return watchStatus(watch)
      const status = await ask(statusContract.status)
      if (status.alerts.targets.some(({ isDead }) => isDead)) process.exitCode = 1
      if (json) printJson(print, status)
      else printStatus(status, print)
    })

  async function watchStatus(seconds: number): Promise<never> {
    for (;;) {
      // A restart is watched, too.
      const status = await ask(statusContract.status).catch((error: unknown) => {
        if (error instanceof PawlError && !(error instanceof ConfigInvalid)) return error
        throw error
      })
      clear()
      print(`Every ${seconds} s, last at ${new Date().toLocaleTimeString('en-GB')}; Ctrl+C ends it.`)
      print('')
      if (status instanceof PawlError) print(status.message, 'bad')
      else printStatus(status, print)
      await sleep(seconds * 1_000)
    }
  }
}

function printStatus(status: Status, print: Print): void {
  const [finding] = status.verdict
  const [headline = '', ...remedy] = describeVerdict(status.verdict)
  print(headline, finding.tone)
  for (const line of remedy) print(line)
  for (const name of ['events', 'unhandled', 'resources', 'due', 'parked'] as const)
    print(formatRow(name, status[name]), name === 'parked' && status.parked > 0 ? 'bad' : undefined)
  if (status.oldestDueMs > 0) print(formatRow('oldest due', `for ${formatDuration(status.oldestDueMs)}`))
  if (status.waiting > 0)
    print(formatRow('waiting', `${status.waiting}, the oldest for ${formatDuration(status.oldestWaitingMs)}`), 'wait')
  for (const each of status.waitingFor) print(formatRow('', describeWaitingFor(each)))
  print(formatRow('to poll', status.toPoll))
  print(formatRow('unreadable', status.unreadable))
  print(formatRow('failing', total(status.failing)), total(status.failing) > 0 ? 'warn' : undefined)
  for (const each of status.failing) print(formatRow('', describeFailing(each)))
  if (status.withoutHandler.length > 0) print(formatRow('no handler', total(status.withoutHandler)))
  for (const each of status.withoutHandler) print(formatRow('', describeWithoutHandler(each)))
  print(formatRow('refused', `${total(status.refused)} in the last 24 h`))
  for (const { count, reason, check } of status.refused) print(formatRow('', `${count} ${reason}. ${check}`))
  if (status.disk?.warning !== undefined) print(formatRow('disk', status.disk.warning), 'bad')
  for (const each of tightest(status.limits)) print(formatRow('api budget', describeLimit(each)))
  for (const each of status.paused) print(formatRow('paused', describePause(each)), 'wait')
  const { open, targets } = status.alerts
  if (open.length > 0) print(formatRow('alerts', `${open.length} open`), 'bad')
  for (const each of open) print(formatRow('', describeAlert(each)))
  for (const each of targets.filter(({ failures }) => failures > 0)) print(formatRow(each.name, describeTarget(each)))
  const { outage } = status.queue
  if (outage !== undefined)
    print(formatRow('queue', `not reached for ${formatDuration(outage.forMs)}: ${outage.code}; nothing is lost`))
  if (status.audit === 'altered') print(formatRow('audit', 'the audit trail was altered: see pawl audit verify'))
  if (status.sealing === 'off')
    print(formatRow('sealing', 'off: anyone who can read the ledger can read its patient data'))
  if (status.sealing === 'turning_on')
    print(formatRow('sealing', 'being turned on: run pawl keys rotate, then remove SEALING'))
  for (const each of status.away) print(formatRow(each.system, describeAway(each)), 'wait')
  for (const each of status.leftOut) print(formatRow(each.system, describeLeftOut(each)))
}

/** The most urgent finding as a sentence, and the remedy. */
function describeVerdict([finding]: Status['verdict']): string[] {
  const { todo, note, command } = finding
  const isThisOne = command === 'pawl status'
  const remedy = [todo ?? note, command && !isThisOne && `(${command})`].filter(Boolean).join(' ')
  return [sayFinding(finding, clockTime), ...(remedy === '' ? [] : [remedy]), '']
}

/** Local time of day; with the date, unless it is today. */
function clockTime(at: number): string {
  const date = new Date(at)
  const time = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  return date.toDateString() === new Date().toDateString() ? time : `${date.toLocaleDateString('en-CA')} ${time}`
}

function total(counted: readonly { count: number }[]): number {
  return counted.reduce((sum, { count }) => sum + count, 0)
}

type Limit = Status['limits'][number]

/** For each policy, the endpoint with the smallest share left. */
function tightest(limits: readonly Limit[]): Limit[] {
  const byPolicy = new Map<string, Limit>()
  const partOf = ({ remaining, quota = Infinity }: Limit) => (quota === Infinity ? remaining : remaining / quota)
  for (const each of limits) {
    const known = byPolicy.get(each.policy)
    if (known === undefined || partOf(each) < partOf(known)) byPolicy.set(each.policy, each)
  }
  return [...byPolicy.values()]
}

function describeLimit({ policy, endpoint, quota, remaining, agoMs }: Limit): string {
  const of = quota === undefined ? '' : ` of ${quota}`
  return `${policy}: ${remaining}${of} left for ${endpoint}, reported ${formatDuration(agoMs)} ago`
}

function describeFailing({ handler, count, oldest }: Status['failing'][number]): string {
  const { resourceId, forMs, attempts, errorCode, errorMessage } = oldest
  const tried = `${formatDuration(forMs)}, ${formatCount(attempts, 'attempt')}`
  return `${count} ${handler}, the oldest ${resourceId} for ${tried}; ${errorCode}: ${errorMessage}`
}

/** Codes of `waitingErrors` in words; other codes are shown unchanged. */
const waitReasons: Readonly<Record<string, (of: { handler: string; system: string }) => string>> = {
  handler_paused: () => 'the handler is paused',
  system_paused: ({ system }) => `the system ${system} is paused`,
  system_down: ({ system }) => `the system ${system} is away`,
  outage_unconfirmed: ({ system }) => `the next attempts show whether the system ${system} is away`,
  refusal_unconfirmed: ({ system }) => `the next attempts show whether the system ${system} refuses others too`,
}

function describeWaitingFor({ count, errorCode, ...of }: Status['waitingFor'][number]): string {
  return `${count} ${of.handler}: ${waitReasons[errorCode]?.(of) ?? errorCode}`
}

function describeAway({ request, forMs, error, leftAloneMs = 0 }: Status['away'][number]): string {
  if (forMs === undefined)
    return `${request === undefined ? 'away' : `refuses ${request}`}, as another process found; left alone for another ${formatDuration(leftAloneMs)}`
  const reason = error === undefined ? '' : `; ${error.code}: ${error.message}`
  if (request !== undefined) return `refuses ${request} for ${formatDuration(forMs)}, work that needs it waits${reason}`
  return `away for ${formatDuration(forMs)}, its work waits${reason}`
}

function describeLeftOut({ system, count, reason }: Status['leftOut'][number]): string {
  const next = system === 'ehr' ? '; "pawl ehr check" tells the remedy, then "pawl ehr backfill" writes them' : ''
  return `nothing was written for ${formatCount(count, 'resource')}: ${reason}${next}`
}
