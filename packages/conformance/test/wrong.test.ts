import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { buildVariable } from '../../../test/support/run-script.ts'
import { judgeSteps } from '../src/judge-steps.ts'
import { createPawlHost, type PawlHost, type PawlProcess } from '../src/pawl-host.ts'
import { replay } from '../src/replay.ts'
import { toursOf } from '../src/run-conformance.ts'
import type { Step } from '../src/steps.ts'
import { caughtBy } from './wrong/caught-by.ts'
import type { Fault } from './wrong/index.ts'

/** Those that are wrong only beside the handlers that are shipped. */
const besideOthers: ReadonlySet<string> = new Set<Fault>(['deletes what it finds', 'goes around the rate limit'])

const built = (path: string) => join(process.env[buildVariable] ?? '', 'dist/packages/conformance', path)

/** Processes that have run a fault, and run the next. */
const idle: PawlProcess[] = []
afterAll(() => Promise.all(idle.map((pawl) => pawl.kill())))

/** Rules on what a process holds or how it ends, whose faults have a process of their own. */
const ofProcess: ReadonlySet<string> = new Set(['nothing-left', 'keeps-running', 'free-loop', 'survives-restart'])

/** A host of the integration with this fault alone, or of what is shipped. */
function hostWith(fault = '', rule = ''): PawlHost {
  const url = pathToFileURL(built('test/wrong/integration.js'))
  url.searchParams.set('fault', fault)
  if (besideOthers.has(fault)) url.searchParams.set('beside', '')
  return createPawlHost({
    integrationUrl: url.href,
    environment: process.env,
    bundle: built('src/pawl-process.js'),
    ...(!ofProcess.has(rule) && { idle }),
  })
}

/** What a run of a list needs beside its steps. */
const depsOf = (host: PawlHost, seed: number) => ({ host, seed, env: {}, signal: new AbortController().signal })

/** A tour of these handlers. */
async function tourOf(host: PawlHost, named: string): Promise<{ steps: readonly Step[]; seed: number }> {
  const tour = toursOf(await host.handlers(), 1).find(({ name }) => name === named)
  if (tour === undefined) throw new Error(`There is no tour ${named}.`)
  return tour
}

/** Hands a host to the test, and closes it after. */
async function withHost<T>(host: PawlHost, act: (host: PawlHost) => Promise<T>): Promise<T> {
  try {
    return await act(host)
  } finally {
    await host.close()
  }
}

describe.concurrent('the conformance run catches', () => {
  const cases = Object.entries(caughtBy).flatMap(([fault, [rule, tour, first]]) =>
    tour === undefined ? [] : [[fault, rule, tour, first] as const],
  )
  it.each(cases)('a handler that %s, by %s in %s', async (fault, rule, tour, first) => {
    const { verdicts } = await withHost(hostWith(fault, rule), async (host) => {
      const { steps, seed } = await tourOf(host, tour)
      return judgeSteps(steps.slice(0, first), depsOf(host, seed))
    })
    expect(verdicts.get(rule)).toMatchObject({ result: 'fail' })
  })

  it('a connector that is worn out after two starts, in the third list of one process', async () => {
    const steps: Step[] = [
      { do: 'create_pa', result: 'Approved', transfer: true },
      ...(['processing', 'awaiting_outcome', 'completed'] as const).map((to): Step => ({ do: 'move_pa', pa: 0, to })),
      { do: 'move_transfer', pa: 0, to: 'attempted' },
      { do: 'settle' },
    ]
    const { verdicts, before } = await withHost(
      hostWith('is worn out after two starts', 'keeps-running'),
      async (host) => {
        for (const seed of [1, 2]) await judgeSteps(steps, depsOf(host, seed))
        return judgeSteps(steps, depsOf(host, 3))
      },
    )
    expect(verdicts.get('in-sync')).toMatchObject({ result: 'fail' })
    expect(before).toHaveLength(2)
  })

  it('a list again that is replayed, until its handler is put right', async () => {
    const lines: string[] = []
    const again = (fault?: string) =>
      withHost(hostWith(fault), async (host) => {
        const { steps, seed } = await tourOf(host, 'copies')
        const run = { rule: 'no-effect-twice', seed, steps: [...steps] }
        return replay(run, depsOf(host, seed), (line) => void lines.push(line))
      })
    expect(await again('sends on every run')).toBe(true)
    expect(lines.at(-1)).toMatch(/^Still failing: no-effect-twice: PA \d: the pharmacy was told twice /)
    expect(await again()).toBe(false)
    expect(lines.at(-1)).toBe('Fixed: no-effect-twice holds.')
  })
})
