import { cpus } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { ReceiverSpec } from './contenders.ts'
import { busySince, readCores, readCpu } from './cpu.ts'
import { webhookRequests } from './envelopes.ts'
import { readDone, waitUntilFinished } from './in-sync.ts'
import { sendAll } from './load.ts'
import { check, connections } from './measure-receiver.ts'
import { monotonicMs } from './monotonic.ts'
import type { Bench, Row } from './scenario.ts'
import { type Running, takeTurns, type Turns } from './turns.ts'

/** PAs of a slice: with an event each, and with five. */
export interface SliceSize {
  one: number
  five: number
}

/** Work that a contender puts off until after the last PA counts, too. */
const settleMs = 300

/** Contenders in turns, from the first delivery sent to the last PA in sync: received, stored, read from a played API, written to a chart in memory, recorded. */
export async function syncPas(
  bench: Bench,
  specs: readonly ReceiverSpec[],
  { size, ...turns }: Turns & { size: SliceSize },
): Promise<Row[]> {
  const api = await bench.stage.start('played-api')
  const requestsOf = createRequests(size)
  const rows = await takeTurns(bench, specs, {
    env: { API_BASE_URL: `http://127.0.0.1:${api.port}` },
    ...turns,
    async slice(running, turn): Promise<Record<string, number>> {
      const { one, five } = requestsOf(turn)
      const first = await measure(running, one, size.one)
      const second = await measure(running, five, size.five)
      return { ...first, ...Object.fromEntries(Object.entries(second).map(([key, value]) => [`${key}OfFive`, value])) }
    },
  })
  await api.stop()
  return rows

  async function measure(running: Running, requests: readonly Buffer[], pas: number) {
    const { child, spec, servers } = running
    const [before, readsBefore] = [readCpu(child.pid, servers), Number(await api.ask('reads'))]
    const [startedAt, cores, harness] = [monotonicMs(), readCores(), readCpu(process.pid, [api.pid])]
    check(await sendAll(child.port, requests, connections))
    await waitUntilFinished(child, spec.script)
    const { lastAt } = await readDone(child)
    await delay(settleMs)
    const [after, reads] = [readCpu(child.pid, servers), Number(await api.ask('reads'))]
    const each = (key: keyof typeof after) => (after[key] - before[key]) / pas
    const cpu = each('all') + each('servers')
    const ours = readCpu(process.pid, [api.pid])
    const own = cpu * pas + ours.all + ours.servers - harness.all - harness.servers
    const elapsed = (monotonicMs() - startedAt) * 1_000 * cpus().length
    return {
      rate: pas / ((lastAt - startedAt) / 1_000),
      cpu,
      perCpuSecond: 1e6 / cpu,
      main: each('main'),
      ledger: each('ledger'),
      others: each('all') - each('main') - each('ledger'),
      servers: each('servers'),
      foreign: busySince(cores) - (100 * own) / elapsed,
      reads: (reads - readsBefore) / pas,
    }
  }
}

/** The requests of each turn, about PAs that no other turn has; those of one turn are kept until all have sent them. */
function createRequests({ one, five }: SliceSize) {
  let made = { turn: NaN, one: [] as Buffer[], five: [] as Buffer[] }
  return (turn: number) => {
    const firstPa = turn * (one + five)
    if (made.turn !== turn) {
      made = {
        turn,
        one: webhookRequests({ count: one, firstPa }),
        five: webhookRequests({ count: five * 5, eventsEach: 5, firstPa: firstPa + one }),
      }
    }
    return made
  }
}
