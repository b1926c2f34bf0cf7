import { Command, InvalidArgumentError } from 'commander'
import { endCommand } from './end-command.ts'
import { createJourney } from './demo/journey.ts'
import { play } from './demo/play.ts'
import { startStage } from './demo/stage.ts'
import { formatTable } from './demo/table.ts'
import { judge } from './demo/verdict.ts'

const print = (line: string) => process.stdout.write(`${line}\n`)

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is a whole number.')
  return Number(text)
}

const { keep, seed, color } = new Command('npm run demo --')
  .description(
    'Plays prior authorizations, a benefit verification and a prescription transfer through pawl, all on this machine.',
  )
  .option('--keep', 'leave everything running at the end and print the addresses')
  .option('--seed <number>', 'play the same ids and delays again', wholeNumber)
  .option('--no-color', 'plain text')
  .showHelpAfterError()
  .exitOverride(endCommand)
  .parse()
  .opts<{ keep?: boolean; seed?: number; color: boolean }>()

const isColoured = color && process.stdout.isTTY && (process.env.NO_COLOR ?? '') === ''
const journey = createJourney(print, isColoured)
const stage = await startStage({ seed, onLog: journey.log })
let isClosing = false
const close = async () => {
  if (isClosing) return
  isClosing = true
  await stage.close()
}
process.once('SIGINT', () => void close())
process.once('SIGTERM', () => void close())

try {
  const verdicts = await judge(stage, await play(stage, journey))
  const outOfStep = verdicts.filter(({ differences }) => differences.length > 0)
  print(`\n${formatTable(verdicts)}\n`)
  print(
    outOfStep.length === 0
      ? `All ${verdicts.length} resources are in step: chart and pharmacy say what the service says.`
      : `${outOfStep.length} of ${verdicts.length} resources are out of step.`,
  )
  process.exitCode = outOfStep.length === 0 ? 0 : 1
  if (keep === true) {
    print('\nEverything keeps running; end it with Ctrl-C.')
    for (const [name, address] of Object.entries(stage.addresses)) print(`  ${name.padEnd(22)} ${address}`)
  } else await close()
} catch (error) {
  // Closing in the middle of the story ends it; that is no failure.
  if (!isClosing) {
    await close()
    throw error
  }
}
