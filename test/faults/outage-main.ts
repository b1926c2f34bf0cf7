import { createWriteStream } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import { startPostgres } from '../support/postgres.ts'
import { startRedis } from '../support/redis.ts'
import { playOutage } from './outage.ts'

function minutesOf(text: string): number {
  if (!/^\d{1,4}(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It is a number of minutes.')
  return Number(text)
}

const {
  minutes,
  setup: wanted,
  log,
} = new Command('npm run outage --')
  .description(
    'Takes chart and pharmacy away from pawl, with all shipped handlers under load, then brings them back. Exits 0 when no attempt was spent, nothing parked, and each system was told of once; 1 with what was.',
  )
  .option('--minutes <number>', 'how long they are away', minutesOf, 10)
  .addOption(
    new Option('--setup <name>', 'SQLite and the in-process queue, or PostgreSQL and Redis, started for it')
      .choices(['sqlite', 'postgres'])
      .default('sqlite'),
  )
  .option('--log <file>', 'where to keep all that pawl printed', 'outage.log')
  .parse()
  .opts<{ minutes: number; setup: 'sqlite' | 'postgres'; log: string }>()

const servers = wanted === 'postgres' ? await Promise.all([startPostgres(), startRedis()]) : undefined
const setup = servers && { DATABASE_URL: await servers[0].createDatabase(), QUEUE_URL: servers[1].url }
const file = createWriteStream(log)
const result = await playOutage({
  outageMs: minutes * 60_000,
  // As pawl has it by itself.
  cooldownMs: 15_000,
  ...(setup && { setup }),
  onLine: (line) => void file.write(`${line}\n`),
})
await Promise.all((servers ?? []).map((server) => server.close()))
file.end()
const { acknowledged, spent, mostAttempts, parked, told, alerts, differences } = result
const print = (line: string) => void process.stdout.write(`${line}\n`)
for (const [system, { away, back }] of Object.entries(told))
  print(
    `${system}: told ${away} times to be away, ${back} times to be back; alert: ${alerts[system]?.join(', ') ?? 'none'}`,
  )
for (const line of [
  ...spent.map((each) => `attempts spent: ${each}`),
  ...parked.map((each) => `parked: ${each}`),
  ...differences,
])
  print(line)
const isToldOnce = Object.values(told).every(({ away, back }) => away === 1 && back === 1)
const isFine = isToldOnce && [spent, parked, differences].every((each) => each.length === 0) && mostAttempts === 0
print(`${acknowledged} deliveries acknowledged; ${isFine ? 'the outage cost nothing' : 'the outage cost something'}.`)
process.exitCode = isFine ? 0 : 1
