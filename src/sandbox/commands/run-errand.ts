import { showHidden } from '../../base/show-hidden.ts'
import type { Errand } from '../command-line.ts'
import { addressOf, CommandFailed } from './reach-sandbox.ts'
import { sendDelivery } from './send-delivery.ts'
import { triggerScenario } from './trigger-scenario.ts'

const print = (line: string) => void process.stdout.write(`${showHidden(line)}\n`)

/** Runs a command against a running sandbox. The process exits 1 if it fails, or if a scenario does not end as expected. */
export async function runErrand(errand: Errand): Promise<void> {
  const url = addressOf(errand)
  try {
    if (errand.errand === 'list') (await import('./list-scenarios.ts')).listScenarios(errand, print)
    else if (errand.errand === 'send') await sendDelivery({ ...errand, url }, print)
    else if (!(await triggerScenario({ ...errand, url }, print)).ok) process.exitCode = 1
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    process.stderr.write(`${showHidden(error.message)}\n`)
    process.exitCode = 1
  }
}
