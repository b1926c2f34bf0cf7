import type { Call } from '@pawl/testing/lines/line'
import { describeCall, hostOf } from './describe-request.ts'

/** Own systems that answered 404 to every request, changes included: one sentence each. */
export function wrongAddresses(calls: readonly Call[]): string[] {
  const answered = calls.filter(({ system, done }) => system === 'own' && done !== undefined)
  const change = new Map(
    answered.flatMap((call) =>
      ['POST', 'PUT', 'PATCH'].includes(call.method) ? [[hostOf(call.path), call] as const] : [],
    ),
  )
  return [...change].flatMap(([host, call]) => {
    const all = answered.filter(({ path }) => hostOf(path) === host)
    if (all.some(({ done }) => done?.status !== 404)) return []
    return [
      `${host} answered 404 to all ${all.length} requests, such as the ${describeCall(call)}. Let its setting name a test system that takes them, or an address where no server answers, such as https://desk.example.`,
    ]
  })
}
