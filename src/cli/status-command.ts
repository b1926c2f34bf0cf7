import type { Command } from 'commander'
import { contract } from '../console/contract/contract.ts'
import type { Status } from '../console/contract/status-contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, formatDuration, formatRow, jsonOption, type Print, printJson } from './output.ts'
import { describeAlert, describeTarget } from './alerts-command.ts'
import { describeHeld } from './hold-commands.ts'
import { describeWithoutHandler } from './without-handler.ts'

const help = `
Prints how many there are of
  events      stored; copies count with the event that they repeat
  unhandled   events that no handler can follow: of an unknown type, or about nothing
  resources   known to the ledger
  due         resources with work to do, now or later
  oldest due  for how long the oldest due work could have been done
  waiting     pieces of work that wait for what is paused or for a system that is away, since the first event of the oldest, where there are some, by handler; while all work is paused, what is due waits, too
  parked      pieces of work that were given up: see "pawl parked"
  to poll     resources about which the service is to be asked now
  unreadable  of those that a "pawl reconcile" asked about, the ones that could not be read and are tried again
  failing     pieces of work that failed and will be tried again, by handler, with the oldest of each
  no handler  pieces of work, parked or failed, whose handler src/integration/index.ts does not have any more, by handler
  refused     deliveries of the last 24 hours that were refused, by reason, with what to check
  drift       names and codes that the catalogue does not know and that came for the first time within the last 24 hours, where there are some: see "pawl drift"
  api budget  of each rate limit of the service, the endpoint with the smallest part left, as the service last told the process that answers
  paused      what somebody paused, for how long and why: see "pawl resume"
  alerts      alerts that are open: see "pawl alerts"
how little room the ledger's disk has left, where that is little, that the server of the queue does not answer, or that the audit trail was altered within the last week, where that is so, that sealing is off or being turned on, where it is, the systems that are away, for how long and why, those to which nothing was written as they take nothing, for how many resources and why, and the targets that alerts do not reach.

Exits with 0 whatever else it finds; 1 when no pawl answers, or when alerts do not reach a target; 2 for wrong options.`

/** Adds `status`, which prints how a running pawl stands. */
export function addStatusCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  program
    .command('status')
    .description('show what the ledger holds, what fails or is refused, and which systems are away')
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async ({ json = false }: { json?: boolean }) => {
      const status = await ask(contract.status)
      if (status.alerts.targets.some(({ isDead }) => isDead)) process.exitCode = 1
      if (json) return printJson(print, status)
      for (const name of ['events', 'unhandled', 'resources', 'due', 'parked'] as const)
        print(formatRow(name, status[name]))
      if (status.oldestDueMs > 0) print(formatRow('oldest due', `for ${formatDuration(status.oldestDueMs)}`))
      if (status.waiting > 0)
        print(formatRow('waiting', `${status.waiting}, the oldest for ${formatDuration(status.oldestWaitingMs)}`))
      for (const each of status.waitingFor) print(formatRow('', describeWaitingFor(each)))
      print(formatRow('to poll', status.toPoll))
      print(formatRow('unreadable', status.unreadable))
      print(formatRow('failing', total(status.failing)))
      for (const each of status.failing) print(formatRow('', describeFailing(each)))
      if (status.withoutHandler.length > 0) print(formatRow('no handler', total(status.withoutHandler)))
      for (const each of status.withoutHandler) print(formatRow('', describeWithoutHandler(each)))
      print(formatRow('refused', `${total(status.refused)} in the last 24 h`))
      for (const { count, reason, check } of status.refused) print(formatRow('', `${count} ${reason}. ${check}`))
      if (status.drift.new > 0)
        print(
          formatRow(
            'drift',
            `${status.drift.new} new in the last 24 h that the catalogue does not know: see pawl drift`,
          ),
        )
      if (status.disk?.warning !== undefined) print(formatRow('disk', status.disk.warning))
      for (const each of tightest(status.limits)) print(formatRow('api budget', describeLimit(each)))
      for (const each of status.held) print(formatRow('paused', describeHeld(each)))
      const { open, targets } = status.alerts
      if (open.length > 0) print(formatRow('alerts', `${open.length} open`))
      for (const each of open) print(formatRow('', describeAlert(each)))
      for (const each of targets.filter(({ failures }) => failures > 0))
        print(formatRow(each.name, describeTarget(each)))
      const { outage } = status.queue
      if (outage !== undefined)
        print(formatRow('queue', `not reached for ${formatDuration(outage.forMs)}: ${outage.code}; nothing is lost`))
      if (status.audit === 'altered') print(formatRow('audit', 'the audit trail was altered: see pawl audit verify'))
      if (status.sealing === 'off')
        print(formatRow('sealing', 'off: whoever can read the ledger can read what is in it about patients'))
      if (status.sealing === 'turning_on')
        print(formatRow('sealing', 'being turned on: run pawl keys rotate, then take SEALING out'))
      for (const each of status.away) print(formatRow(each.system, describeAway(each)))
      for (const each of status.leftOut) print(formatRow(each.system, describeLeftOut(each)))
    })
}

function total(counted: readonly { count: number }[]): number {
  return counted.reduce((sum, { count }) => sum + count, 0)
}

type Limit = Status['limits'][number]

/** Of each policy the endpoint with the smallest part left. */
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
  return `${policy}: ${remaining}${of} left for ${endpoint}, told ${formatDuration(agoMs)} ago`
}

function describeFailing({ handler, count, oldest }: Status['failing'][number]): string {
  const { resourceId, forMs, attempts, errorCode, errorMessage } = oldest
  const tried = `${formatDuration(forMs)}, ${formatCount(attempts, 'attempt')}`
  return `${count} ${handler}, the oldest ${resourceId} for ${tried}; ${errorCode}: ${errorMessage}`
}

/** Codes of `waitingErrors` in words; any other is shown as it is. */
const waitReasons: Readonly<Record<string, (of: { handler: string; system: string }) => string>> = {
  handler_paused: () => 'the handler is paused',
  system_paused: ({ system }) => `the system ${system} is paused`,
  system_down: ({ system }) => `the system ${system} is away`,
  outage_unconfirmed: ({ system }) => `whether the system ${system} is away shows at the next attempts`,
  refusal_unconfirmed: ({ system }) => `whether the system ${system} refuses others too shows at the next attempts`,
}

function describeWaitingFor({ count, errorCode, ...of }: Status['waitingFor'][number]): string {
  return `${count} ${of.handler}: ${waitReasons[errorCode]?.(of) ?? errorCode}`
}

function describeAway({ forMs, error, leftAloneMs = 0 }: Status['away'][number]): string {
  if (forMs === undefined)
    return `away, as another process found; left alone for another ${formatDuration(leftAloneMs)}`
  const reason = error === undefined ? '' : `; ${error.code}: ${error.message}`
  return `away for ${formatDuration(forMs)}, its work waits${reason}`
}

function describeLeftOut({ system, count, reason }: Status['leftOut'][number]): string {
  const next =
    system === 'ehr' ? '; "pawl ehr check" says what mends it, then "pawl ehr backfill" has them written' : ''
  return `nothing was written for ${formatCount(count, 'resource')}: ${reason}${next}`
}
