import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { compare } from '../compare.ts'
import { pawl } from '../contenders.ts'
import { webhookRequests } from '../envelopes.ts'
import { sendAll } from '../load.ts'
import { check, connections } from '../measure-receiver.ts'
import { type StepOf, sumProfiles } from '../profile.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'

/** The first that fits names the step; what fits none works for its caller. */
const steps: [RegExp, string][] = [
  [/parse-delivery|events\/envelope|node_modules\/zod/, 'parse'],
  [/receive\/verify|node_modules\/jose|internal\/crypto\/(webcrypto|mac|util)/, 'verify'],
  [/internal\/crypto\/hash/, 'hash'],
  [/sqlite-driver|internal\/worker/, 'commit: to the thread and back'],
  [/node_modules\/kysely|\/ledger\//, 'commit: build the statements'],
  [/\/queue\/|node_modules\/bullmq|node_modules\/ioredis/, 'ring'],
  [/metrics|prom-client|node_modules\/pino|\/log\.js/, 'count and log'],
  [/_http|node:net|node:internal\/(streams|stream_base)|read-body|receiver|public-app|\/server\.js/, 'HTTP'],
  [/internal\/modules|node:internal\/(bootstrap|main)/, 'start'],
]

const stepOf: StepOf = ({ functionName, url }) => {
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (functionName === '(idle)') return 'idle'
  return steps.find(([pattern]) => pattern.test(url))?.[1]
}

const shown = [
  ...new Set(steps.map(([, step]) => step).filter((step) => step !== 'start')),
  'garbage collection',
  'other',
]
const threads = 'other threads'

/** Where the time of one delivery goes. */
export const profile: Scenario = {
  name: 'profile',
  title: "Microseconds of CPU for one delivery in pawl's receiver, by step (--cpu-prof)",
  async run(bench) {
    const requests = webhookRequests({ count: bench.pick(60_000, 6_000) })
    const rows = await compare([{ name: 'main thread', measure: () => measure(bench.stage, requests) }], bench)
    return {
      columns: [{ key: 'step', title: 'us each' }],
      rows: [...shown, threads].map((step) => ({
        contender: step,
        rounds: (rows[0]?.rounds ?? []).map((round) => ({ step: round[step] ?? 0 })),
      })),
      targets: [],
      notes: [
        "Steps are those of the main thread. Other threads: SQLite's own, which writes and waits for the disk, and Node's pool, where jose's HMAC runs.",
        'A profiled process is slower than another: compare the steps with each other, not with other tables.',
      ],
    }
  },
}

async function measure(stage: Stage, requests: readonly Buffer[]): Promise<Record<string, number>> {
  const { env, dispose } = await pawl('pawl').prepare(stage)
  const folder = join(dirname(await stage.newFile()), 'profiles')
  await mkdir(folder)
  const child = await stage.start('pawl', env, ['--cpu-prof', `--cpu-prof-dir=${folder}`])
  const before = await child.ask('usage')
  check(await sendAll(child.port, requests, connections))
  const after = await child.ask('usage')
  await child.end()
  await dispose()
  const sums = await sumProfiles(folder, stepOf)
  const micros = (ms: number) => (ms * 1_000) / requests.length
  const main = shown.map((step): [string, number] => [step, micros(sums.get(step) ?? 0)])
  const mainAll = main.reduce((sum, [, value]) => sum + value, 0)
  return { ...Object.fromEntries(main), [threads]: Math.max(0, micros(after.cpuMs - before.cpuMs) - mainAll) }
}
