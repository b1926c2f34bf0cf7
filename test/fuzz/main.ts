import { Command, InvalidArgumentError, Option } from 'commander'
import { fuzz, type TargetName, targets } from './fuzz.ts'
import type { Attack } from './target.ts'

const names = Object.keys(targets) as TargetName[] // their keys, which the compiler widens

const { seed, minutes, target } = new Command('npm run fuzz --')
  .description(
    'Attacks the receiver, the admin listener, its console with logins and sessions, and the sandbox with tokens, cookies, forms, bodies, ids and HTTP that are nearly right.',
  )
  .addOption(new Option('--target <name>', 'attack one of them (default: all)').choices(names))
  .option('--minutes <number>', 'for how long each is attacked', positive, 5)
  .option(
    '--seed <number>',
    'repeat the attacks of this seed (default: another each time)',
    whole,
    Date.now() % 2 ** 31,
  )
  .allowExcessArguments(false)
  .parse()
  .opts<{ seed: number; minutes: number; target?: TargetName }>()

let last: Attack | undefined
// An uncaught error ends the process, as it would end pawl: its cause is printed first.
process.on('uncaughtExceptionMonitor', () => {
  print(`FAULT: the process ends. Seed ${seed}; the attack was ${last?.name ?? 'none'}`)
})

for (const name of target === undefined ? names : [target]) {
  const { attacks, statuses, fault } = await fuzz({
    target: name,
    seed,
    runs: Number.MAX_SAFE_INTEGER,
    withinMs: minutes * 60_000,
    onAttack: (attack) => (last = attack),
  })
  const answers = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
  print(`${name}, seed ${seed}: ${attacks} attacks; answers ${answers.join(', ')}`)
  if (fault === undefined) continue
  print(`FAULT: ${fault}`)
  process.exitCode = 1
}

function positive(text: string): number {
  const number = Number(text)
  if (!(number > 0)) throw new InvalidArgumentError('Give a number above 0.')
  return number
}

function whole(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number)) throw new InvalidArgumentError('Give a whole number.')
  return number
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
