import { setTimeout as delay } from 'node:timers/promises'
import type { Child } from './child.ts'
import { monotonicMs } from './monotonic.ts'
import type { Done } from './servers/recording-ehr.ts'
import type { Counts } from '../packages/ledger/src/views/counts.ts'

const longestMs = 600_000
const pauseMs = 100
/** Counting costs the ledger something: it is asked this often at most, and only while no run ends. */
const countEveryMs = 1_000

/** Work that the server's chart has seen so far. */
export async function readDone(child: Child): Promise<Done> {
  return (await child.ask('done')) as Done // as recording-ehr.ts answers
}

/** Waits until a pawl has nothing to do any more: every resource is in sync. Throws when work was parked. */
export async function waitUntilInSync(child: Child): Promise<void> {
  let [seen, countedAt] = [NaN, -Infinity]
  await waitUntil(async () => {
    const { runs } = await readDone(child)
    const isQuiet = runs === seen
    seen = runs
    if (!isQuiet || monotonicMs() < countedAt + countEveryMs) return false
    countedAt = monotonicMs()
    const { due, parked } = (await child.ask('counts')) as Counts // as pawl.ts answers
    if (parked > 0) throw new Error(`${parked} pieces of work were parked: this measures nothing.`)
    return due === 0
  })
}

/** Waits until a receiver has finished the work of all deliveries: by hand each job that it queued, pawl all due work. */
export function waitUntilFinished(child: Child, script: string): Promise<void> {
  if (script === 'pawl') return waitUntilInSync(child)
  return waitUntil(async () => Number(await child.ask('unfinished')) <= 0)
}

async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = monotonicMs() + longestMs
  while (!(await isSo())) {
    if (monotonicMs() > giveUpAt) throw new Error('The work did not come to its end.')
    await delay(pauseMs)
  }
}
