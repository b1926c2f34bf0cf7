import { type HandlerRun, toOurs } from '../handler-runs.ts'
import { passUnless, type Rule } from './rule.ts'

/** As many connections as a browser opens to one server. */
const maxAtOnce = 6

/** A run has only a few requests to one system in flight. */
export const boundedRequests: Rule = {
  id: 'bounded-requests',
  title: 'Few requests at once',
  judge({ calls, portCalls, runOf, labels }) {
    const byRun = new Map<HandlerRun, Map<string, { startedAt: number; endedAt: number }[]>>()
    const add = (run: HandlerRun | undefined, system: string, call: { startedAt: number; endedAt: number }) => {
      if (run === undefined) return
      const systems = byRun.get(run) ?? new Map<string, (typeof call)[]>()
      byRun.set(run, systems.set(system, [...(systems.get(system) ?? []), call]))
    }
    // Under load a request reaches the line late, when others sent with it have been answered.
    for (const call of calls) {
      const { by, system, endedAt } = call
      if (by !== undefined) add(runOf(call), system, { startedAt: toOurs(by.sentAt), endedAt })
    }
    for (const call of portCalls) add(call.run, call.system, call)
    return passUnless(
      [...byRun].flatMap(([run, systems]) =>
        [...systems].flatMap(([system, sent]) => {
          const most = Math.max(...sent.map(({ startedAt }) => underWay(sent, startedAt)))
          return most <= maxAtOnce
            ? []
            : [`${labels.get(run.resource)}: ${run.handler} sent ${most} requests to ${system} at once`]
        }),
      ),
    )
  },
}

function underWay(calls: readonly { startedAt: number; endedAt: number }[], at: number): number {
  return calls.filter(({ startedAt, endedAt }) => startedAt <= at && endedAt > at).length
}
