import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPawlHost, type PawlHost } from '../src/pawl-host.ts'
import { describeReached } from '../src/reached.ts'
import { replay } from '../src/replay.ts'
import { runConformance } from '../src/run-conformance.ts'
import { ruleTitles } from '../src/judge-steps.ts'
import { caughtBy } from './wrong/caught-by.ts'

const hosts: PawlHost[] = []
let lines: string[]
beforeEach(() => {
  lines = []
})
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())))

/** Dependencies of runs with the shipped integration, or with a fault beside what is shipped; `file`: with another. */
function depsWith(fault?: string, file = 'wrong/integration.ts') {
  const url = new URL(file, import.meta.url)
  if (fault !== undefined) url.searchParams.set('fault', fault)
  url.searchParams.set('beside', '')
  const host = createPawlHost({ integrationUrl: url.href, environment: process.env })
  hosts.push(host)
  return { host, seed: 1, env: {}, signal: new AbortController().signal }
}
const print = (line: string) => void lines.push(line)

it('the shipped templates pass some minutes, every rule applies, and the service shows all that it can', async () => {
  const options = { profile: 'full', minutes: 4, only: undefined, print } as const
  const { failure, tally, reached } = await runConformance({ deps: depsWith(), ...options })
  expect(failure, lines.join('\n')).toBeUndefined()
  expect([...ruleTitles.keys()].filter((id) => (tally.get(id)?.passes ?? 0) === 0)).toEqual([])
  expect(describeReached(reached).filter((line) => line.includes('not reached'))).toEqual([])
})

it('handlers that are right in ways of their own pass', async () => {
  const options = { profile: 'quick', minutes: 1.5, only: undefined, print } as const
  const { failure } = await runConformance({ deps: depsWith(undefined, 'right/own-ways.ts'), ...options })
  expect(failure, lines.join('\n')).toBeUndefined()
})

it('a failing list is shortened to the steps that matter', async () => {
  const options = { profile: 'quick', minutes: undefined, only: undefined, print } as const
  const deps = depsWith('sends on every run')
  const { failure } = await runConformance({ deps, ...options })
  expect(failure?.rule, lines.join('\n')).toBe('no-effect-twice')
  expect(failure?.steps.length ?? Infinity).toBeLessThan(failure?.foundWith ?? 0)
})

it('a list that fails only after others is saved with them, and fails again in a new process', async () => {
  const options = { profile: 'quick', minutes: undefined, only: 'in-sync', print } as const
  const deps = depsWith('is worn out after two starts')
  const { failure } = await runConformance({ deps, ...options })
  expect(failure?.before?.length ?? 0, lines.join('\n')).toBeGreaterThan(0)
  const { rule = '', seed = 0, steps = [], before = [] } = failure ?? {}
  expect(await replay({ rule, seed, steps, before }, deps, print)).toBe(true)
  expect(await replay({ rule, seed, steps }, deps, print)).toBe(false)
})

const others = Object.entries(caughtBy).filter(([, [, tour]]) => tour === undefined)

it.each(others)('an integration that %s is caught by a whole run', async (fault, [only]) => {
  const options = { profile: 'quick', minutes: undefined, only, shrinks: false, print } as const
  const { failure } = await runConformance({ deps: depsWith(fault), ...options })
  expect(failure?.rule, lines.join('\n')).toBe(only)
})
