import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { buildVariable } from '../../../test/support/run-script.ts'
import { judgeSteps } from '../src/judge-steps.ts'
import { createPawlHost, type PawlHost } from '../src/pawl-host.ts'
import { replay } from '../src/replay.ts'
import { toursOf } from '../src/run-conformance.ts'
import { caughtBy } from './wrong/caught-by.ts'
import type { Fault } from './wrong/index.ts'

/** Those that are wrong only beside the handlers that are shipped. */
const besideOthers: ReadonlySet<string> = new Set<Fault>([
  'deletes what it finds',
  'goes around the rate limit',
  'ignores the signal',
])

const built = (path: string) => join(process.env[buildVariable] ?? '', 'dist/packages/conformance', path)

/** A host of the integration with this fault alone, or of what is shipped. */
function hostWith(fault = ''): PawlHost {
  const url = pathToFileURL(built('test/wrong/integration.js'))
  url.searchParams.set('fault', fault)
  if (besideOthers.has(fault)) url.searchParams.set('beside', '')
  return createPawlHost({ integrationUrl: url.href, environment: process.env, bundle: built('src/pawl-process.js') })
}

/** Judges a tour, or its first steps; the last of so many times in one process. */
async function judgeTour(host: PawlHost, tour: string, first?: number, times = 1) {
  const { steps = [], seed = 0 } = toursOf(await host.handlers(), 1).find(({ name }) => name === tour) ?? {}
  const judge = () => judgeSteps(steps.slice(0, first), { host, seed, env: {}, signal: new AbortController().signal })
  for (let turn = 1; turn < times; turn += 1) await judge()
  return judge()
}

/** Hands a host with this fault to the test, and closes it after. */
async function withHost<T>(fault: string | undefined, act: (host: PawlHost) => Promise<T>): Promise<T> {
  const host = hostWith(fault)
  try {
    return await act(host)
  } finally {
    await host.close()
  }
}

describe.concurrent('the conformance run catches', () => {
  const cases = Object.entries(caughtBy).flatMap(([fault, [rule, tour, first]]) =>
    tour === undefined ? [] : [{ fault, rule, tour, first }],
  )
  it.each(cases)('a handler that $fault, by $rule in $tour', async ({ fault, rule, tour, first }) => {
    const { verdicts } = await withHost(fault, (host) => judgeTour(host, tour, first))
    expect(verdicts.get(rule)).toMatchObject({ result: 'fail' })
  })

  it('a connector that is worn out after two starts, in the third list of one process', async () => {
    const { verdicts, before } = await withHost('is worn out after two starts', (host) =>
      judgeTour(host, 'transfers', undefined, 3),
    )
    expect(verdicts.get('in-step')).toMatchObject({ result: 'fail' })
    expect(before).toHaveLength(2)
  })

  it('a list again that is replayed, until its handler is put right', async () => {
    const lines: string[] = []
    const again = (fault?: string) =>
      withHost(fault, async (host) => {
        const { steps = [], seed = 0 } = toursOf(await host.handlers(), 1).find(({ name }) => name === 'copies') ?? {}
        const deps = { host, seed, env: {}, signal: new AbortController().signal }
        return replay({ rule: 'no-effect-twice', seed, steps: [...steps] }, deps, (line) => void lines.push(line))
      })
    expect(await again('sends on every run')).toBe(true)
    expect(lines.at(-1)).toMatch(/^Still failing: no-effect-twice: PA \d: the pharmacy was told twice /)
    expect(await again()).toBe(false)
    expect(lines.at(-1)).toBe('Fixed: no-effect-twice holds.')
  })
})
