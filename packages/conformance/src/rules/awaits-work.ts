import type { HandlerRun } from '../handler-runs.ts'
import type { Call } from '@pawl/testing/lines/line'
import type { Observations } from '../observations.ts'
import { passUnless, type Rule } from './rule.ts'

/** Tolerance for requests: two processes report the ends of a run and of its last request. A call of a port has none. */
const slackMs = 25

/** pawl reads a resource that a handler created in the context of the creating run. */
function isOfAnother({ system, method, path }: Call, { resource }: HandlerRun): boolean {
  return system === 'service' && method === 'GET' && !path.includes(resource)
}

/** A run that succeeds has awaited everything it began. */
export const awaitsWork: Rule = {
  id: 'awaits-work',
  title: 'A run awaits everything it began',
  judge({ calls, portCalls, runOf, labels, crashedAt, isCrashedByEndedRun }: Observations) {
    const begun = [
      ...calls.flatMap((call) => {
        const run = runOf(call)
        return run === undefined || call.isCut || isOfAnother(call, run)
          ? []
          : [{ ...call, run, endedAt: call.endedAt - slackMs, what: `a ${call.method} to the ${call.system}` }]
      }),
      ...portCalls.map((call) => ({ ...call, what: `${call.system}.${call.method}` })),
    ]
    const where = crashedAt === undefined ? '' : `, first at ${crashedAt}`
    return passUnless([
      ...(isCrashedByEndedRun ? [`a request that its run had not awaited ended the process${where}`] : []),
      ...begun
        .filter(({ run, endedAt }) => run.isDone && endedAt > run.endedAt)
        .map(({ run, what }) => `${labels.get(run.resource)}: ${run.handler} ended before ${what} was done`),
    ])
  },
}
