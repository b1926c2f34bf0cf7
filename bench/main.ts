import { createCommand, type Flags, selectScenarios } from './command.ts'
import { monotonicMs } from './monotonic.ts'
import { type Needing, selectAble } from './needs.ts'
import { describeMachine, describeOutcome, formatDuration, formatOutcome, saveResults } from './report.ts'
import { scenarios } from './scenarios.ts'
import { createStage } from './stage.ts'

await run(createCommand(scenarios).parse().opts<Flags>())

async function run(flags: Flags): Promise<void> {
  const { only, contenders: chosen, rounds, quick = false } = flags
  // Part of a table would replace the whole one of the same day.
  const isKept = !quick && chosen === undefined
  const isChosen = ({ key }: Needing) => key === undefined || chosen === undefined || chosen.includes(key)
  const selected = selectScenarios(scenarios, flags)
  if (selected.length === 0) {
    process.stderr.write(`error: the scenario ${only} has none of the contenders ${chosen?.join(', ')}\n`)
    process.exitCode = 1
    return
  }
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
    for (const scenario of selected) {
      print(`\n${scenario.title}`)
      const startedAt = monotonicMs()
      const leftOut: string[] = []
      const leaveOut = (line: string) => {
        leftOut.push(line)
        print(line)
      }
      if ((await selectAble([scenario], stage, leaveOut)).length === 0) {
        // The only chosen scenario cannot run.
        if (only !== undefined) process.exitCode = 1
        continue
      }
      const outcome = await scenario.run({
        stage,
        select: (contenders) => selectAble(contenders.filter(isChosen), stage, leaveOut),
        rounds: rounds ?? (quick ? 1 : 3),
        pick: (full, small) => (quick ? small : full),
        say: (line) => process.stderr.write(`  ${line}\n`),
      })
      const tookMs = monotonicMs() - startedAt
      print(`\n${formatOutcome(outcome)}\ntook    ${formatDuration(tookMs)}`)
      missed += outcome.targets.filter(({ met }) => met === false).length
      results[scenario.name] = {
        title: scenario.title,
        measuredAt: new Date().toISOString(),
        seconds: tookMs / 1_000,
        ...describeOutcome(outcome),
        leftOut,
      }
      if (isKept) await saveResults(results)
    }
  } finally {
    await stage.close()
  }
  if (Object.keys(results).length === 0) return
  print(
    `\n${missed === 0 ? 'No target was missed.' : `${missed} targets were missed.`}${isKept ? ` Kept in ${await saveResults(results)}` : ''}`,
  )
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
