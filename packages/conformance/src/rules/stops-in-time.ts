import { graceMs } from '../supervisor.ts'
import { passUnless, type Rule } from './rule.ts'

/** Time to release work and close after the grace (docs/deploying.md). */
const allowanceMs = 4_000
/** Requests sent just before the end may arrive just after it. */
const slackMs = 100

/** A stop ends within the grace plus four seconds, and no request follows. */
export const stopsInTime: Rule = {
  id: 'stops-in-time',
  title: 'Stops within its time',
  judge({ stops, calls, hasLatePart }) {
    const slow = stops.filter(({ how, tookMs }) => how === 'stopped' && (tookMs ?? Infinity) > graceMs + allowanceMs)
    const late = stops.flatMap(({ generation, how, at }) =>
      how === 'stopped' ? calls.filter((call) => call.generation === generation && call.startedAt > at + slackMs) : [],
    )
    return passUnless([
      ...slow.map(({ tookMs }) =>
        tookMs === undefined ? 'a stop did not end' : `a stop took ${Math.round(tookMs)} ms`,
      ),
      ...(hasLatePart ? ['a part did not close in time'] : []),
      ...late.map(({ system, method }) => `a ${method} reached the ${system} after the stop`),
    ])
  },
}
