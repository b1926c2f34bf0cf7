import type { Api } from '../api/client.ts'
import type { System, SystemsByName } from '../systems/system.ts'
import type { Ports } from '../work/register.ts'
import { type Call, recordCalls } from './record-calls.ts'

/** What a test puts in place of the integration's systems, by their names: a system, or the port that every run gets. */
export type StandIns = { [Name in keyof Ports]?: Ports[Name] | System<Ports[Name] & object> }

/** The systems that a test gave, whose calls are noted. */
export function systemsFrom(standIns: StandIns, calls: Call[]): SystemsByName {
  const given: [string, object][] = Object.entries(standIns)
  return Object.fromEntries(
    given.map(([name, part]): [string, System<object>] => {
      const system = isSystem(part) ? part : { open: () => part }
      return [name, { ...system, open: (run) => recordCalls(system.open(run), { system: name, calls }) }]
    }),
  )
}

/** A system without a stand-in: notes every call, and answers nothing. */
export function recordingSystem(name: string, calls: Call[]): System<object> {
  return { open: () => recordCalls({}, { system: name, calls, missing: () => Promise.resolve(undefined) }) }
}

/** The service as far as a test plays it; a call of anything else is an error that names it. */
export function apiFrom(answers: Partial<Api>, calls: Call[]): Api {
  const missing = (method: string) =>
    Promise.reject(new TypeError(`The handler called api.${method}, which the test does not answer: give it in api.`))
  // The compiler cannot see that whatever is missing answers with that error.
  return recordCalls(answers, { system: 'api', calls, missing }) as Api
}

function isSystem(part: object): part is System<object> {
  return 'open' in part && typeof part.open === 'function'
}
