import { createCommand, type Flags, selectScenarios } from './command.ts'
import { runGuard } from './guard.ts'
import { monotonicMs } from './monotonic.ts'
import { type Needing, selectAble } from './needs.ts'
import { describeMachine, formatDuration, formatOutcome } from './report.ts'
import { scenarios } from './scenarios.ts'
import type { Bench } from './scenario.ts'
import { createStage } from './stage.ts'

await run(createCommand(scenarios).parse().opts<Flags>())

async function run(flags: Flags): Promise<void> {
  const { only, contenders: chosen, rounds, quick = false } = flags
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
  const bench: Bench = {
    stage,
    select: (contenders) => selectAble(contenders.filter(isChosen), stage, print),
    rounds: rounds ?? (quick ? 1 : 3),
    pick: (full, small) => (quick ? small : full),
    say: (line) => process.stderr.write(`  ${line}\n`),
  }
  let measured = 0
  let missed = 0
  try {
    if (flags.guard === true) {
      const { text, isWorse } = await runGuard(bench, { keeps: flags.keep === true })
      print(text)
      if (isWorse) process.exitCode = 1
      return
    }
    for (const scenario of selected) {
      print(`\n${scenario.title}`)
      const startedAt = monotonicMs()
      if ((await selectAble([scenario], stage, print)).length === 0) {
        // The only chosen scenario cannot run.
        if (only !== undefined) process.exitCode = 1
        continue
      }
      const outcome = await scenario.run(bench)
      const tookMs = monotonicMs() - startedAt
      print(`\n${formatOutcome(outcome)}\ntook    ${formatDuration(tookMs)}`)
      missed += outcome.targets.filter(({ met }) => met === false).length
      measured += 1
    }
  } finally {
    await stage.close()
  }
  if (measured > 0) print(`\n${missed === 0 ? 'No target was missed.' : `${missed} targets were missed.`}`)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
