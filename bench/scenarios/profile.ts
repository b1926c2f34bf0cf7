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
  [/receive\/verify|node_modules\/jose|internal\/crypto\/(webcrypto|mac)/, 'verify'],
  [/internal\/crypto\/hash/, 'hash'],
  [/sqlite\/calls|internal\/(worker|per_context\/messageport)/, 'from thread to thread'],
  [/sqlite\/driver|node_modules\/better-sqlite3/, 'commit: SQLite'],
  [/node_modules\/kysely|\/ledger\//, 'commit: build the statements'],
  [/\/queue\/|node_modules\/bullmq|node_modules\/ioredis/, 'enqueue'],
  [/metrics|prom-client|node_modules\/pino|\/log\.js/, 'count and log'],
  [/_http|node:net|node:internal\/(streams|stream_base)|read-body|receiver|start-receiving|\/server\.js/, 'HTTP'],
  [/internal\/modules|node:internal\/(bootstrap|main)/, 'start'],
]
const collection = 'garbage collection'

const stepOf: StepOf = ({ functionName, url }) => {
  if (functionName === '(garbage collector)') return collection
  if (functionName === '(idle)') return 'idle'
  return steps.find(([pattern]) => pattern.test(url))?.[1]
}

/** Rows shown for each thread. */
const shown = {
  main: ['HTTP', 'verify', 'hash', 'parse', 'from thread to thread', 'enqueue', 'count and log', collection, 'other'],
  others: [
    'parse',
    'hash',
    'commit: build the statements',
    'commit: SQLite',
    'from thread to thread',
    collection,
    'other',
  ],
}
const threads = ['main', 'others'] as const
const titles = { main: 'main thread', others: "ledger's thread" }

/** Where the time of one delivery goes. */
export const profile: Scenario = {
  name: 'profile',
  title: "Microseconds of CPU for one delivery in pawl's receiver, by step (--cpu-prof)",
  async run(bench) {
    const requests = webhookRequests({ count: bench.pick(60_000, 6_000) })
    const rows = await compare([{ name: 'pawl', measure: () => measure(bench.stage, requests) }], bench)
    return {
      columns: [{ key: 'step', title: 'us each' }],
      rows: threads
        .flatMap((thread) => shown[thread].map((step) => `${titles[thread]}, ${step}`))
        .map((step) => ({
          contender: step,
          rounds: (rows[0]?.rounds ?? []).map((round) => ({ step: round[step] ?? 0 })),
        })),
      targets: [],
      notes: [
        "Waiting for the disk counts as SQLite's, though it takes no CPU. Not shown: V8's helpers.",
        'A profiled process is slower than another: compare the steps with each other, not with other tables.',
      ],
    }
  },
}

async function measure(stage: Stage, requests: readonly Buffer[]): Promise<Record<string, number>> {
  const { env, dispose } = await pawl('pawl', 'pawl').prepare(stage)
  const folder = join(dirname(await stage.newFile()), 'profiles')
  await mkdir(folder)
  const child = await stage.start('pawl', env, ['--cpu-prof', `--cpu-prof-dir=${folder}`])
  check(await sendAll(child.port, requests, connections))
  await child.end()
  await dispose()
  const result: Record<string, number> = {}
  for (const thread of threads) {
    const sums = await sumProfiles(folder, thread, stepOf)
    for (const step of shown[thread]) {
      result[`${titles[thread]}, ${step}`] = ((sums.get(step) ?? 0) * 1_000) / requests.length
    }
  }
  return result
}
