import { showHidden } from '@pawl/base/show-hidden'
import type { Subcommand, SubcommandOf } from '../command-line.ts'
import { nearestUrl } from '@pawl/base/net/nearest-url'
import { CommandFailed } from './reach-sandbox.ts'

const print = (line: string) => void process.stdout.write(`${showHidden(line)}\n`)

/** Runs a command against a running sandbox. The process exits 1 if it fails, or if a scenario does not end as expected. */
export async function runSubcommand(subcommand: Subcommand): Promise<void> {
  const url = nearestUrl(subcommand)
  try {
    switch (subcommand.subcommand) {
      case 'list':
        return (await import('./list-scenarios.ts')).listScenarios(subcommand, print)
      case 'send':
        return await (await import('./send-delivery.ts')).sendDelivery({ ...subcommand, url }, print)
      case 'logs':
        return await runLogs(subcommand, url)
      case 'trigger': {
        const { triggerScenario } = await import('./trigger-scenario.ts')
        if (!(await triggerScenario({ ...subcommand, url }, print)).ok) process.exitCode = 1
      }
    }
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    process.stderr.write(`${showHidden(error.message)}\n`)
    process.exitCode = 1
  }
}

async function runLogs({ id, ...subcommand }: SubcommandOf<'logs'>, url: string): Promise<void> {
  const { showLogs, showRequest } = await import('./show-logs.ts')
  // The reader of the output, such as head, has exited.
  process.stdout.on('error', () => process.exit())
  if (id === undefined) await showLogs({ ...subcommand, url }, print)
  else await showRequest({ ...subcommand, url, id }, print)
}
