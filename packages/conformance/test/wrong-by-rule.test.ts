import { afterEach, expect, it } from 'vitest'
import { judgeSteps } from '../src/judge-steps.ts'
import { createPawlHost, type PawlHost } from '../src/pawl-host.ts'
import { toursOf } from '../src/run-conformance.ts'

/** One wrong handler for each of the rules that a single tour shows; wrong.test.ts has all, and takes two hours. */
const shown = [
  ['writes the payload', 'order-kept', 'copies'],
  ['is not idempotent', 'no-effect-twice', 'copies'],
  ['logs a name', 'no-patient-data', 'copies'],
  ['never closes its task', 'in-step', 'copies'],
  ['overwrites what staff wrote', 'no-lost-update', 'failures'],
  ['updates by search without checking', 'own-resources', 'failures'],
  ['keeps state in memory', 'survives-restart', 'kills'],
] as const

let host: PawlHost | undefined
afterEach(() => host?.close())

it.each(shown)('the conformance run catches a handler that %s, by the rule %s in the tour %s', async (...row) => {
  const [fault, rule, tour] = row
  const url = new URL('wrong/integration.ts', import.meta.url)
  url.searchParams.set('fault', fault)
  host = createPawlHost({ integrationUrl: url.href, environment: process.env })
  const list = toursOf(await host.handlers(), 1).find(({ name }) => name === tour)
  const deps = { host, seed: list?.seed ?? 0, env: {}, signal: new AbortController().signal }
  const { verdicts } = await judgeSteps(list?.steps ?? [], deps)
  expect(verdicts.get(rule)).toMatchObject({ result: 'fail' })
})
