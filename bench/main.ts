import { Command, InvalidArgumentError, Option } from 'commander'
import { selectAble } from './needs.ts'
import { describeMachine, describeOutcome, formatOutcome, saveResults } from './report.ts'
import type { Scenario } from './scenario.ts'
import { acknowledged } from './scenarios/acknowledged.ts'
import { burst } from './scenarios/burst.ts'
import { consolePages } from './scenarios/console.ts'
import { endToEnd } from './scenarios/end-to-end.ts'
import { largeLedger } from './scenarios/large-ledger.ts'
import { latency } from './scenarios/latency.ts'
import { partitions } from './scenarios/partitions.ts'
import { processes } from './scenarios/processes.ts'
import { profile } from './scenarios/profile.ts'
import { purge } from './scenarios/purge.ts'
import { createStage } from './stage.ts'

const scenarios: readonly Scenario[] = [
  acknowledged,
  endToEnd,
  burst,
  largeLedger,
  partitions,
  consolePages,
  processes,
  latency,
  purge,
  profile,
]

interface Flags {
  only?: string
  rounds?: number
  quick?: true
}

const flags = new Command('npm run bench --')
  .description('Measures pawl beside what else could be used, and holds the figures against their targets.')
  .addOption(new Option('--only <name>', 'run one scenario').choices(scenarios.map(({ name }) => name)))
  .option('--rounds <number>', 'rounds of which the median is taken (default: 5, quick 1)', positive)
  .option('--quick', 'small and short, to see that all of it works: its figures mean little and are not kept')
  .allowExcessArguments(false)
  .addHelpText(
    'after',
    `\nScenarios:\n${scenarios.map(({ name, title }) => `  ${name.padEnd(14)}${title}`).join('\n')}`,
  )
  .parse()
  .opts<Flags>()

await run(flags)

async function run({
  only,
  rounds,
  quick = false,
}: Partial<Omit<Flags, 'quick'>> & { quick?: boolean }): Promise<void> {
  const { cores, memoryGb, node } = describeMachine()
  print(`${cores} cores, ${memoryGb} GB, Node ${node}${quick ? ', quick: the figures mean little' : ''}`)
  const stage = await createStage()
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => void stage.close().then(() => process.exit(code)))
  }
  const results: Record<string, unknown> = {}
  let missed = 0
  try {
    for (const scenario of scenarios.filter(({ name }) => only === undefined || name === only)) {
      print(`\n${scenario.title}`)
      const leftOut: string[] = []
      const leaveOut = (line: string) => {
        leftOut.push(line)
        print(line)
      }
      if ((await selectAble([scenario], stage, leaveOut)).length === 0) {
        // Whoever asked for this one alone got nothing.
        if (only !== undefined) process.exitCode = 1
        continue
      }
      const outcome = await scenario.run({
        stage,
        select: (contenders) => selectAble(contenders, stage, leaveOut),
        rounds: rounds ?? (quick ? 1 : 5),
        pick: (full, small) => (quick ? small : full),
        say: (line) => process.stderr.write(`  ${line}\n`),
      })
      print(`\n${formatOutcome(outcome)}`)
      missed += outcome.targets.filter(({ met }) => met === false).length
      results[scenario.name] = {
        title: scenario.title,
        measuredAt: new Date().toISOString(),
        ...describeOutcome(outcome),
        leftOut,
      }
      if (!quick) await saveResults(results)
    }
  } finally {
    await stage.close()
  }
  if (Object.keys(results).length === 0) return
  print(
    `\n${missed === 0 ? 'No target was missed.' : `${missed} targets were missed.`}${quick ? '' : ` Kept in ${await saveResults(results)}`}`,
  )
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function positive(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  throw new InvalidArgumentError('It must be a whole number above 0.')
}
