import type { Child } from './child.ts'
import { readCpu } from './cpu.ts'
import { type LoadResult, sendAll } from './load.ts'

/** How many deliveries are under way at once. */
export const connections = 64

/** What a receiver that runs acknowledges; `cpu` is what one delivery costs its process and its servers, in microseconds. */
export async function acknowledge(
  { child, servers = [] }: { child: Child; servers?: readonly number[] },
  requests: readonly Buffer[],
  longestMs = Infinity,
): Promise<Record<'rate' | 'clientLoad' | 'cpu' | 'servers' | 'perCpuSecond', number>> {
  const before = readCpu(child.pid, servers)
  const { statuses, rate, clientLoad } = check(await sendAll(child.port, requests, connections, { longestMs }))
  const after = readCpu(child.pid, servers)
  const count = [...statuses.values()].reduce((sum, times) => sum + times, 0)
  const serversEach = (after.servers - before.servers) / count
  const cpu = (after.all - before.all) / count + serversEach
  return { rate, clientLoad: clientLoad * 100, cpu, servers: serversEach, perCpuSecond: 1e6 / cpu }
}

/** A figure counts only if every answer was 2xx. */
export function check(result: LoadResult): LoadResult {
  for (const [status, times] of result.statuses)
    if (status < 200 || status > 299) throw new Error(`${times} answers had status ${status}: this measures nothing.`)
  return result
}
