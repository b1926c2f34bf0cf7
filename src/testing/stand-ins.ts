import type { Api } from '../service/client/client.ts'
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

/** The ports of a run, where a system that the test does not give is an error that names it once it is called. */
export function withMissingSystems<P extends object>(ports: P): P {
  const missingPort = (system: string) =>
    recordCalls(
      {},
      {
        system,
        calls: [],
        missing: (method) =>
          Promise.reject(
            new TypeError(
              `The handler called ${system}.${method}, but the test has no system ${system}: give it in systems, as { systems: { ${system}: { ${method}: async () => {} } } }.`,
            ),
          ),
      },
    )
  // Behind the ports, and behind all else that a run is given: only what is neither is looked for here.
  const behind = new Proxy(Object.prototype, {
    get: (target, name) =>
      typeof name === 'symbol' || name in target ? (Reflect.get(target, name) as unknown) : missingPort(name),
  })
  // The compiler cannot see that what is answered is the same object.
  return Object.setPrototypeOf(ports, behind) as P
}

function isSystem(part: object): part is System<object> {
  return 'open' in part && typeof part.open === 'function'
}
