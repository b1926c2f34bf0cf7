import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { formatClock } from '@pawl/base/format-clock'
import { integrationFile } from '@pawl/base/integration-file'
import { ConfigInvalid, PawlError } from '@pawl/base/errors'
import { type Status, statusContract } from '../contract/status-contract.ts'
import { sayFinding } from '../contract/status-verdict.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, formatDuration, formatRow, jsonOption, type Print, printJson } from './output.ts'
import { readNumber } from './read-number.ts'
import { describeWithoutHandler } from './without-handler.ts'

// A function, since the text names a file of the project.
const help = () => `
Prints each fault and what to do, the most urgent first, then how many there are of
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
Where it applies, it adds: sealing that is off or being turned on, and systems that accept no writes, for how many resources and why.

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
      // Keep watching during a restart.
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
  for (const finding of status.verdict) {
    const { todo, command } = finding
    print(sayFinding(finding, formatClock), finding.severity)
    const remedy = [todo, command && command !== 'pawl status' && `(${command})`].filter(Boolean).join(' ')
    if (remedy !== '') print(`  ${remedy}`)
  }
  print('')
  for (const name of ['events', 'unhandled', 'resources', 'due'] as const) print(formatRow(name, status[name]))
  print(formatRow('parked', pieces(status.parked)), status.parked > 0 ? 'bad' : undefined)
  if (status.oldestDueMs > 0) print(formatRow('oldest due', `for ${formatDuration(status.oldestDueMs)}`))
  if (status.waiting > 0)
    print(
      formatRow('waiting', `${pieces(status.waiting)}, the oldest for ${formatDuration(status.oldestWaitingMs)}`),
      'wait',
    )
  for (const each of status.waitingFor) print(formatRow('', describeWaitingFor(each)))
  print(formatRow('to poll', status.toPoll))
  print(formatRow('unreadable', status.unreadable))
  print(formatRow('failing', pieces(total(status.failing))), total(status.failing) > 0 ? 'warn' : undefined)
  for (const each of status.failing) print(formatRow('', describeFailing(each)))
  if (status.withoutHandler.length > 0) print(formatRow('no handler', total(status.withoutHandler)))
  for (const each of status.withoutHandler) print(formatRow('', describeWithoutHandler(each)))
  print(formatRow('refused', `${total(status.refused)} in the last 24 h`))
  for (const { count, reason, firstAt, check } of status.refused)
    print(formatRow('', `${count} ${reason}, the first at ${formatClock(firstAt)}. ${check}`))
  for (const each of tightest(status.limits)) print(formatRow('api budget', describeLimit(each)))
  if (status.sealing === 'off')
    print(formatRow('sealing', 'off: anyone who can read the ledger can read its patient data'))
  if (status.sealing === 'turning_on')
    print(formatRow('sealing', 'being turned on: run pawl keys rotate, then remove SEALING'))
  for (const each of status.leftOut) print(formatRow(each.system, describeLeftOut(each)))
}

/** Work is counted by handler and resource, unlike cases. */
function pieces(count: number): string {
  return count === 0 ? '0' : `${formatCount(count, 'piece')} of work`
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
  request_refused: ({ system }) => `the system ${system} refuses a kind of request`,
  outage_unconfirmed: ({ system }) => `the next attempts show whether the system ${system} is away`,
  refusal_unconfirmed: ({ system }) => `the next attempts show whether the system ${system} refuses others too`,
}

function describeWaitingFor({ count, errorCode, ...of }: Status['waitingFor'][number]): string {
  return `${count} ${of.handler}: ${waitReasons[errorCode]?.(of) ?? errorCode}`
}

function describeLeftOut({ system, count, reason }: Status['leftOut'][number]): string {
  const next = system === 'ehr' ? '; "pawl ehr check" tells the remedy, then "pawl ehr backfill" writes them' : ''
  return `nothing was written for ${formatCount(count, 'resource')}: ${reason}${next}`
}
