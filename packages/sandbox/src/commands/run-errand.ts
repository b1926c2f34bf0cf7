import { showHidden } from '@pawl/base/show-hidden'
import type { Errand, ErrandOf } from '../command-line.ts'
import { nearestUrl } from '@pawl/base/net/nearest-url'
import { CommandFailed } from './reach-sandbox.ts'

const print = (line: string) => void process.stdout.write(`${showHidden(line)}\n`)

/** Runs a command against a running sandbox. The process exits 1 if it fails, or if a scenario does not end as expected. */
export async function runErrand(errand: Errand): Promise<void> {
  const url = nearestUrl(errand)
  try {
    switch (errand.errand) {
      case 'list':
        return (await import('./list-scenarios.ts')).listScenarios(errand, print)
      case 'send':
        return await (await import('./send-delivery.ts')).sendDelivery({ ...errand, url }, print)
      case 'logs':
        return await runLogs(errand, url)
      case 'trigger': {
        const { triggerScenario } = await import('./trigger-scenario.ts')
        if (!(await triggerScenario({ ...errand, url }, print)).ok) process.exitCode = 1
      }
    }
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    process.stderr.write(`${showHidden(error.message)}\n`)
    process.exitCode = 1
  }
}

async function runLogs({ id, ...errand }: ErrandOf<'logs'>, url: string): Promise<void> {
  const { showLogs, showRequest } = await import('./show-logs.ts')
  // The reader of the output, such as head, has exited.
  process.stdout.on('error', () => process.exit())
  if (id === undefined) await showLogs({ ...errand, url }, print)
  else await showRequest({ ...errand, url, id }, print)
}
