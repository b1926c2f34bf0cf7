import type { Api } from 'pawl-client/api/client'
import type { System, SystemsByName } from '@pawl/connector/system'
import type { Ports } from '../../../src/work/register.ts'
import { type Call, recordCalls } from './record-calls.ts'

/** A test's replacements for the integration's systems, by name: a system, or a port for every run. */
export type StandIns = { [Name in keyof Ports]?: Ports[Name] | System<Ports[Name] & object> }

/** Wraps the test's systems to record their calls. */
export function systemsFrom(standIns: StandIns, calls: Call[]): SystemsByName {
  const given: [string, object][] = Object.entries(standIns)
  return Object.fromEntries(
    given.map(([name, part]): [string, System<object>] => {
      const system = isSystem(part) ? part : { open: () => part }
      return [name, { ...system, open: (run) => recordCalls(system.open(run), { system: name, calls }) }]
    }),
  )
}

/** A system without a stand-in: records every call and returns undefined. */
export function recordingSystem(name: string, calls: Call[]): System<object> {
  return { open: () => recordCalls({}, { system: name, calls, missing: () => Promise.resolve(undefined) }) }
}

/** The service with the test's answers; any other call rejects with an error that names it. */
export function apiFrom(answers: Partial<Api>, calls: Call[]): Api {
  const missing = (method: string) =>
    Promise.reject(new TypeError(`The handler called api.${method}, which the test does not answer: add it to api.`))
  // The compiler cannot see that missing methods reject.
  return recordCalls(answers, { system: 'api', calls, missing }) as Api
}

/** Adds to a run's ports: calling a system that the test lacks throws an error that names it. */
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
              `The handler called ${system}.${method}, but the test has no system ${system}: add it to systems, as { systems: { ${system}: { ${method}: async () => {} } } }.`,
            ),
          ),
      },
    )
  // As the prototype, it sees only names that the run's argument lacks.
  const behind = new Proxy(Object.prototype, {
    get: (target, name) =>
      typeof name === 'symbol' || name in target ? (Reflect.get(target, name) as unknown) : missingPort(name),
  })
  // setPrototypeOf returns the same object; its type says any.
  return Object.setPrototypeOf(ports, behind) as P
}

function isSystem(part: object): part is System<object> {
  return 'open' in part && typeof part.open === 'function'
}
