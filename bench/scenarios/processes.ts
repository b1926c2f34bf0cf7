import { cpus } from 'node:os'
import type { Child } from '../child.ts'
import { compare, medianOf, ratioOf } from '../compare.ts'
import { busySince, readCores, readCpu } from '../cpu.ts'
import { newDatabase } from '../contenders.ts'
import { webhookRequests } from '../envelopes.ts'
import { readDone, waitUntilInStep } from '../in-step.ts'
import { sendAll } from '../load.ts'
import { check, connections } from '../measure-receiver.ts'
import type { Row, Scenario, Target } from '../scenario.ts'
import type { Stage } from '../stage.ts'

/** How more processes raise what PostgreSQL and Redis carry. */
export const processes: Scenario = {
  name: 'processes',
  needs: ['redis', 'postgres'],
  title: 'Receivers, then workers, in 1, 2 and 4 processes on one PostgreSQL and one Redis',
  async run(bench) {
    const { stage, pick } = bench
    const [warmUpCount, count] = [pick(1_000, 200), pick(3_000, 600)]
    const warmUp = webhookRequests({ count: warmUpCount, firstPa: count })
    const requests = webhookRequests({ count })
    const api = await stage.start('played-api')
    const rows = await compare(
      [1, 2, 4].map((count) => ({
        name: `${count} ${count === 1 ? 'process' : 'processes'}`,
        measure: () => measure(stage, { count, api, warmUp, requests }),
      })),
      bench,
    )
    await api.stop()
    return {
      columns: [
        { key: 'acknowledged', title: 'acknowledged/s' },
        { key: 'receiverCpu', title: 'receiver CPU us each' },
        { key: 'receivingBusy', title: 'all cores busy %' },
        { key: 'inStep', title: 'brought into step/s' },
        { key: 'workerCpu', title: 'worker CPU us each' },
        { key: 'workingBusy', title: 'all cores busy %' },
      ],
      ratios: [
        { title: 'x, receiving', key: 'acknowledged', to: one },
        { title: 'x, working', key: 'inStep', to: one },
      ],
      rows,
      targets: [
        growing(rows, { what: 'receiving', key: 'acknowledged', busy: 'receivingBusy' }),
        growing(rows, { what: 'working', key: 'inStep', busy: 'workingBusy' }),
      ],
      notes: [
        `Client, PostgreSQL, Redis and the played API run on the same ${cpus().length} cores: where these are all busy, the cores are the limit, not the design.`,
      ],
    }
  },
}

const [one, two] = ['1 process', '2 processes'] as const
const [growth, full] = [1.2, 90]

/** That a second process helps, where the first leaves something of the cores to it. */
function growing(rows: readonly Row[], { what, key, busy }: { what: string; key: string; busy: string }): Target {
  const [ratio, busyWithOne] = [ratioOf(rows, key, two, one), medianOf(rows, one, busy)]
  return {
    wanted: `${what}: ${two}, at least ${growth} x ${one}, or one alone keeps all cores more than ${full} % busy`,
    reached: `${ratio.toFixed(2)} x; ${busyWithOne.toFixed(0)} % busy with one`,
    met: ratio >= growth || busyWithOne > full,
  }
}

interface Work {
  count: number
  api: Child
  warmUp: readonly Buffer[]
  requests: readonly Buffer[]
}

async function measure(stage: Stage, { count, api, warmUp, requests }: Work): Promise<Record<string, number>> {
  const redis = await stage.redis()
  await redis.flushAll()
  const database = await newDatabase(stage)
  const env = { DATABASE_URL: database.url, QUEUE_URL: redis.url }
  const start = (role: Record<string, string>) =>
    Promise.all(Array.from({ length: count }, () => stage.start('pawl', { ...env, ...role })))

  const receivers = await start({ ROLE: 'receiver' })
  const ports = receivers.map(({ port }) => port)
  check(await sendAll(ports, warmUp, connections))
  const [before, busyBefore] = [cpuOf(receivers), readCores()]
  const { rate } = check(await sendAll(ports, requests, connections))
  const receivingBusy = busySince(busyBefore)
  const receiverCpu = (cpuOf(receivers) - before) / requests.length
  await stop(receivers)

  const workersFrom = readCores()
  const workers = await start({
    ROLE: 'worker',
    API_BASE_URL: `http://127.0.0.1:${api.port}`,
  })
  const [first] = workers
  if (first !== undefined) await waitUntilInStep(first)
  const workingBusy = busySince(workersFrom)
  const done = await Promise.all(workers.map((worker) => readDone(worker)))
  const workerCpu = cpuOf(workers) / (warmUp.length + requests.length)
  await stop(workers)
  await database.dispose()
  const runs = done.reduce((sum, each) => sum + each.runs, 0)
  const from = Math.min(...done.map(({ firstAt }) => firstAt).filter((at) => at > 0))
  const inStep = runs / ((Math.max(...done.map(({ lastAt }) => lastAt)) - from) / 1_000)
  return { acknowledged: rate, receiverCpu, receivingBusy, inStep, workerCpu, workingBusy }
}

/** CPU time of all of them, in microseconds. */
function cpuOf(children: readonly Child[]): number {
  return children.reduce((sum, { pid }) => sum + readCpu(pid).all, 0)
}

async function stop(children: readonly Child[]): Promise<void> {
  await Promise.all(children.map((child) => child.stop()))
}
