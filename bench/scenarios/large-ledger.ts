import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { compare, medianOf } from '../compare.ts'
import { webhookRequests } from '../envelopes.ts'
import { fillLedger, newLedger } from '../fill-ledger.ts'
import { readPeakBytes } from '../cpu.ts'
import { acknowledge } from '../measure-receiver.ts'
import { monotonicMs } from '../monotonic.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import { atLeast, atMost } from '../targets.ts'

const empty = 'pawl, empty ledger'
const megabyte = 2 ** 20

/** Whether history slows anything down. */
export const largeLedger: Scenario = {
  name: 'large-ledger',
  title: 'A ledger with a long history against an empty one',
  async run(bench) {
    const { stage, pick, say } = bench
    const events = pick(1_000_000, 100_000)
    const full = `pawl, ${events.toLocaleString('en')} events`
    const file = await newLedger(stage)
    say(`filling a ledger with ${events.toLocaleString('en')} events`)
    fillLedger(file, events)
    // The full ledger stays from round to round: it must not have seen a delivery before.
    let firstPa = 0
    const measureOne = async (ledger: string) => {
      const [warmUp, count] = [pick(5_000, 1_000), pick(25_000, 4_000)]
      firstPa += warmUp + count
      const requests = webhookRequests({ count: warmUp + count, firstPa })
      return { readyInMs: await measureReady(stage, ledger), ...(await measureLoad(stage, ledger, requests, warmUp)) }
    }
    const rows = await compare(
      [
        { name: empty, measure: async () => removing(await newLedger(stage), measureOne) },
        { name: full, measure: () => measureOne(file) },
      ],
      bench,
    )
    await rm(dirname(file), { recursive: true })
    const of = (name: string, key: string) => medianOf(rows, name, key)
    return {
      columns: [
        { key: 'rate', title: 'deliveries/s' },
        { key: 'cpu', title: 'CPU us each' },
        { key: 'readyInMs', title: 'ready in ms' },
        { key: 'rssMb', title: 'resident MB' },
      ],
      ratios: [{ title: 'x empty', key: 'rate', to: empty }],
      rows,
      targets: [
        atLeast(rows, { key: 'rate', contender: full, to: empty }, 0.9),
        ...[empty, full].map((name) =>
          atMost(`${name}: start of the process to ready`, of(name, 'readyInMs'), 700, ' ms'),
        ),
        atMost(`${full}: resident memory above that of ${empty}`, of(full, 'rssMb') - of(empty, 'rssMb'), 100, ' MB'),
      ],
      notes: [
        'The history has bodies and snapshots of 1 KB instead of 5 to 6 KB, so that it is made in seconds: five finished events a PA, with a run and a progress each.',
        'Ready: GET /readyz of a process in role all answers 200, counts of the ledger included.',
      ],
    }
  },
}

async function removing<T>(file: string, use: (file: string) => Promise<T>): Promise<T> {
  try {
    return await use(file)
  } finally {
    await rm(dirname(file), { recursive: true })
  }
}

async function measureReady(stage: Stage, ledger: string): Promise<number> {
  const startedAt = monotonicMs()
  const child = await stage.start('pawl', {
    DATABASE_URL: `file:${ledger}`,
    ROLE: 'all',
    API_BASE_URL: 'http://127.0.0.1:9',
  })
  try {
    const { ok } = await fetch(`${child.announced.adminUrl}/readyz`)
    if (!ok) throw new Error('pawl did not get ready.')
    return monotonicMs() - startedAt
  } finally {
    await child.stop()
  }
}

async function measureLoad(stage: Stage, ledger: string, requests: readonly Buffer[], warmUp: number) {
  const child = await stage.start('pawl', { DATABASE_URL: `file:${ledger}` })
  try {
    await acknowledge({ child }, requests.slice(0, warmUp))
    const { rate, cpu } = await acknowledge({ child }, requests.slice(warmUp), 10_000)
    return { rate, cpu, rssMb: readPeakBytes(child.pid) / megabyte }
  } finally {
    await child.stop()
  }
}
