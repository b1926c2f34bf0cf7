import { Command } from 'commander'
import { formatReport } from '../../src/conformance-report.ts'
import { createPawlHost } from '../../src/pawl-host.ts'
import { runConformance } from '../../src/run-conformance.ts'
import { startFarSide } from '../../../testing/src/far-side.ts'
import { rightCases, wrongCases } from './index.ts'
import { farSides } from './systems/far-sides.ts'
import { rightSystems, wrongSystems } from './systems/index.ts'

const { only, seed, shrink } = new Command('npm run conformance:unseen --')
  .description(
    'Runs the quick profile against handlers that no rule was written for, 30 wrong ones and 10 right ones, and against systems of their own, 17 wrong and 7 right ones. Prints each report; a reader decides whether it leads to the fault.',
  )
  .option('--only <part>', 'run the cases whose file name contains this, such as wrong/, right/03 or systems/', '')
  .option('--seed <number>', 'generate the same lists again', Number, 1)
  .option('--no-shrink', 'only count: leave failing lists as they were found')
  .allowExcessArguments(false)
  .parse()
  .opts<{ only: string; seed: number; shrink: boolean }>()

const counts = { caught: 0, missed: 0, 'false alarm': 0, quiet: 0, broken: 0 }

for (const { file, settings = [], farSide: name, ...about } of [
  ...wrongCases,
  ...rightCases,
  ...wrongSystems,
  ...rightSystems,
]) {
  if (!file.includes(only)) continue
  const farSide = name === undefined ? await startFarSide(() => ({ status: 200, body: {} })) : await farSides[name]()
  const url = new URL('integration.ts', import.meta.url)
  url.searchParams.set('case', file)
  const given = 'url' in farSide ? Object.fromEntries(settings.map((each) => [each, farSide.url])) : farSide.settings
  const host = createPawlHost({ integrationUrl: url.href, environment: { ...process.env, ...given } })
  const isWrong = file.includes('wrong/')
  print(`\n## ${file}: ${'wrong' in about ? `${about.wrong} Expected: ${about.difference}.` : about.odd}`)
  try {
    const { signal } = new AbortController()
    const result = await runConformance({
      deps: { host, seed, env: {}, signal },
      profile: 'quick',
      minutes: undefined,
      only: undefined,
      shrinks: shrink,
      print: () => undefined,
    })
    const word = result.failure === undefined ? (isWrong ? 'missed' : 'quiet') : isWrong ? 'caught' : 'false alarm'
    counts[word] += 1
    const told = formatReport(result, { savedAt: undefined })
    print(`${word.toUpperCase()}, ${result.runs} lists in ${Math.round(result.tookMs / 1_000)} s`)
    if (result.failure !== undefined)
      for (const line of told.slice(
        0,
        told.findIndex((text) => text === ''),
      ))
        print(`  ${line}`)
    if (result.failure !== undefined) print(`  ${result.failure.rule}: ${result.failure.because}`)
  } catch (error) {
    counts.broken += 1
    print(`BROKEN: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    await host.close()
    await farSide.close()
  }
}
print(
  `\n${Object.entries(counts)
    .map(([word, count]) => `${word}: ${count}`)
    .join(', ')}`,
)

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
