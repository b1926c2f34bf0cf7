import { Command, InvalidArgumentError } from 'commander'
import { startPostgres } from '../support/postgres.ts'
import { startRedis } from '../support/redis.ts'
import { runKillLoop } from './kill-loop.ts'

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is a whole number.')
  return Number(text)
}

const { kills, seed, postgres, hl7, twice } = new Command('npm run kill-loop --')
  .description(
    'Kills pawl again and again under load, then holds chart, pharmacy and ledger against the service. Exits 0 when nothing was lost, 1 with what was.',
  )
  .option('--kills <number>', 'how often', wholeNumber, 1_000)
  .option('--seed <number>', 'the same kills at the same moments', wholeNumber, 1)
  .option('--postgres', 'with the ledger on PostgreSQL and the queue on Redis, both started for it')
  .option('--hl7', 'with a chart that takes documents by HL7 v2, and loses answers')
  .option('--twice', 'with two processes on the ledger, either of which is killed')
  .parse()
  .opts<{ kills: number; seed: number; postgres?: boolean; hl7?: boolean; twice?: boolean }>()

const servers = postgres === true ? await Promise.all([startPostgres(), startRedis()]) : undefined
const setup = servers && { DATABASE_URL: await servers[0].createDatabase(), QUEUE_URL: servers[1].url }
const result = await runKillLoop({
  kills,
  seed,
  ...(setup && { setup }),
  ...(hl7 !== undefined && { hl7 }),
  ...(twice !== undefined && { twice }),
  onKill: (killed) => {
    if (killed % 10 === 0 || killed === kills) process.stdout.write(`${killed} of ${kills} kills\n`)
  },
})
await Promise.all((servers ?? []).map((server) => server.close()))
const { acknowledged, messages, differences, parked } = result
for (const line of [...differences, ...parked.map((each) => `parked: ${each}`)]) process.stdout.write(`${line}\n`)
if (hl7 === true) process.stdout.write(`${messages.arrived} messages arrived, ${messages.repeated} of them repeated.\n`)
const isFine = differences.length === 0 && parked.length === 0
process.stdout.write(
  `${acknowledged} deliveries acknowledged, ${kills} kills: ${isFine ? 'chart and pharmacy say what the service says' : 'something was lost'}.\n`,
)
process.exitCode = isFine ? 0 : 1
