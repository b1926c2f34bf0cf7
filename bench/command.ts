import { Command, InvalidArgumentError, Option } from 'commander'
import type { Scenario } from './scenario.ts'

/** Flags of `npm run bench`. */
export interface Flags {
  only?: string
  /** Keys of receivers. */
  contenders?: string[]
  rounds?: number
  quick?: true
  guard?: true
  keep?: true
}

/** The command line of `npm run bench`; `parse` ends the process with one line where it is wrong. */
export function createCommand(scenarios: readonly Scenario[]): Command {
  const contenders = new Map(
    scenarios.flatMap((scenario) => scenario.contenders ?? []).map(({ key, name }) => [key, name]),
  )
  const keys = [...contenders.keys()]

  function contendersOf(text: string): string[] {
    const chosen = text.split(',').map((key) => key.trim())
    const unknown = chosen.find((key) => !contenders.has(key))
    if (unknown === undefined) return chosen
    throw new InvalidArgumentError(`There is no contender "${unknown}"; there are ${keys.join(', ')}.`)
  }

  const list = (entries: Iterable<readonly [string, string]>) =>
    [...entries].map(([key, text]) => `  ${key.padEnd(25)}${text}`).join('\n')
  const titles = scenarios.map(({ name, title }) => [name, title] as const)
  return new Command('npm run bench --')
    .description('Measures pawl beside what else could be used, and holds the figures against their targets.')
    .addOption(new Option('--only <name>', 'run one scenario').choices(scenarios.map(({ name }) => name)))
    .option(
      '--contenders <names>',
      'run these contenders alone, separated by commas, in the scenarios that have one of them',
      contendersOf,
    )
    .option('--rounds <number>', 'rounds of which the median is taken (default: 3, quick 1)', positive)
    .option('--quick', 'small and short, to see that all of it works: its figures mean little')
    .option(
      '--guard',
      'in three minutes: the CPU of a PA, held against the kept figure; exits 1 where it fell by a tenth',
    )
    .option('--keep', 'with --guard: keep the new figure')
    .allowExcessArguments(false)
    .addHelpText('after', `\nScenarios:\n${list(titles)}\n\nContenders:\n${list(contenders)}`)
}

/** The scenarios that run: without a choice of contenders all, else those that have one of them. */
export function selectScenarios(scenarios: readonly Scenario[], { only, contenders: chosen }: Flags): Scenario[] {
  return scenarios.filter(
    ({ name, contenders = [] }) =>
      (only === undefined || name === only) &&
      (chosen === undefined || contenders.some(({ key }) => chosen.includes(key))),
  )
}

function positive(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  throw new InvalidArgumentError('It must be a whole number above 0.')
}
