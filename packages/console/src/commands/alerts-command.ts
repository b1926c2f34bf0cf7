import { formatClock } from '@pawl/base/format-clock'
import type { Command } from 'commander'
import { type Alert, type AlertTarget, type Status, statusContract } from '../contract/status-contract.ts'
import { sayFinding } from '../contract/status-verdict.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, formatDuration, formatRow, formatTable, jsonOption, type Print, printJson } from './output.ts'

const help = `
Prints each open alert with what to do, then the targets that alerts are sent to. With --history, the newest 50 alerts of the last 90 days.

Exits with 0, alerts open or none; 1 when no pawl answers, or when alerts do not reach a target; 2 for wrong options.`

const testHelp = `
Sends a test message to each target and prints its response.

Exits with 0; 1 when no pawl answers, when a target did not accept it, or when there is no target; 2 for wrong options.`

/** Adds `alerts`, which lists alerts, and `alerts test`. */
export function addAlertsCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  const alerts = program
    .command('alerts')
    .description('list the open alerts, and whether they reach their targets')
    .option('--history', 'include alerts that are over')
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async ({ history = false, json = false }: { history?: boolean; json?: boolean }) => {
      if (history) return printHistory(json)
      const state = await ask(statusContract.alerts)
      if (json) printJson(print, state)
      else printState(state)
      if (state.targets.some(({ isDead }) => isDead)) process.exitCode = 1
    })
  alerts
    .command('test')
    .description('send a test message to each target')
    .option(...jsonOption)
    .addHelpText('after', testHelp)
    // The parent command takes the option for its own.
    .action(async (_options: object, command: Command) => {
      const { json = false } = command.optsWithGlobals<{ json?: boolean }>()
      const tested = await ask(statusContract.testAlerts)
      if (json) printJson(print, tested)
      for (const { target, ok, answer } of json ? [] : tested.targets)
        print(formatRow(target, ok ? `accepted: ${answer}` : `not accepted: ${answer}`))
      if (!json && tested.targets.length === 0) print(noTarget)
      if (tested.targets.length === 0 || tested.targets.some(({ ok }) => !ok)) process.exitCode = 1
    })

  function printState({ open, targets }: Status['alerts']): void {
    if (open.length === 0) print('No alert is open.')
    for (const each of open) {
      print(describeAlert(each))
      print(`  ${[each.fault.todo, each.fault.command].filter(Boolean).join(' ')}`)
    }
    if (targets.length === 0) print(noTarget)
    for (const each of targets) print(formatRow(each.name, describeTarget(each)))
  }

  async function printHistory(json: boolean): Promise<void> {
    const answer = await ask(statusContract.alertHistory)
    if (json) return printJson(print, answer)
    if (answer.alerts.length === 0) print('No alerts.')
    const rows = answer.alerts.map((each) => [
      new Date(each.openedAt).toISOString(),
      each.closedAt === undefined ? 'open' : new Date(each.closedAt).toISOString(),
      describeAlert(each),
    ])
    for (const line of formatTable(rows)) print(line)
  }
}

const noTarget = 'Alerts are sent nowhere: set ALERT_URL or ALERT_EMAIL_TO.'

/** One line about an alert. */
function describeAlert({ fault, resourceId }: Alert): string {
  const said = sayFinding(fault, formatClock)
  return resourceId === undefined ? said : `${said} Such as ${resourceId}.`
}

/** One line about a target of alerts. */
function describeTarget(target: AlertTarget): string {
  const { isDead, failures, failingForMs = 0, errorCode = 'unexpected', sentAgoMs, waiting } = target
  const unsent = waiting === 0 ? '' : `; ${waiting} not sent yet`
  if (failures === 0)
    return (sentAgoMs === undefined ? 'nothing sent yet' : `last message ${formatDuration(sentAgoMs)} ago`) + unsent
  const tried = `${formatCount(failures, 'attempt')} failed in ${formatDuration(failingForMs)}: ${errorCode}`
  return `${isDead ? 'alerts do not reach it' : 'retrying'}, ${tried}${unsent}`
}
