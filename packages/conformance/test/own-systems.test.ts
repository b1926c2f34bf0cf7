import { afterEach, describe, expect, it } from 'vitest'
import { startFarSide } from '../../testing/src/far-side.ts'
import { judgeSteps } from '../src/judge-steps.ts'
import { createPawlHost, type PawlHost } from '../src/pawl-host.ts'
import { runConformance, toursOf } from '../src/run-conformance.ts'
import type { Step } from '../src/steps.ts'
import { farSides } from './unseen/systems/far-sides.ts'
import { rightSystems, wrongSystems } from './unseen/systems/index.ts'

const started: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const each of started.splice(0).toReversed()) await each.close()
})

/** A host of an integration below `unseen`, with these settings. */
function hostOf(file: string, settings: Record<string, string>): PawlHost {
  const url = new URL('unseen/integration.ts', import.meta.url)
  url.searchParams.set('case', file)
  const host = createPawlHost({ integrationUrl: url.href, environment: { ...process.env, ...settings } })
  started.push(host)
  return host
}

/** Starts a far side; resolves with its settings. */
async function settingsOf(name: keyof typeof farSides): Promise<Record<string, string>> {
  const farSide = await farSides[name]()
  started.push(farSide)
  return farSide.settings
}

const depsOf = (host: PawlHost, seed: number) => ({ host, seed, env: {}, signal: new AbortController().signal })

const brief: Step[] = [
  { do: 'create_pa', result: 'Approved', transfer: false },
  { do: 'settle' },
  { do: 'move_pa', pa: 0, to: 'processing' },
  { do: 'settle' },
]

it('systems of their own that are right, with real far sides, pass', async () => {
  const all = await Promise.all(rightSystems.map(({ farSide }) => settingsOf(farSide)))
  const host = hostOf('systems/right/all', Object.assign({}, ...all) as Record<string, string>)
  const lines: string[] = []
  const { failure } = await runConformance({
    deps: depsOf(host, 1),
    profile: 'quick',
    minutes: 1.5,
    only: undefined,
    print: (line) => void lines.push(line),
  })
  expect(failure, lines.join('\n')).toBeUndefined()
}, 600_000)

/** The rule that catches a wrong system, and the tour that shows it. `06-not-awaited` is absent: it is caught only if its request happens to end late. */
const caughtBy: Record<string, [rule: string, tour: string]> = {
  'systems/wrong/01-approval-not-withdrawn': ['equal-states', 'corrections'],
  'systems/wrong/02-found-by-patient': ['equal-states', 'corrections'],
  'systems/wrong/03-once-around-update': ['equal-states', 'corrections'],
  'systems/wrong/04-error-swallowed': ['failed-writes', 'faults'],
  'systems/wrong/05-key-of-status': ['no-effect-twice', 'corrections'],
  'systems/wrong/07-day-by-local-zone': ['values-kept', 'faults'],
  'systems/wrong/08-set-against-doubles': ['no-effect-twice', 'corrections'],
  'systems/wrong/09-file-for-each-run': ['no-effect-twice', 'corrections'],
  'systems/wrong/10-fields-of-the-one-before': ['values-kept', 'copies'],
  'systems/wrong/11-mail-on-each-run': ['no-effect-twice', 'corrections'],
  'systems/wrong/12-mail-once-for-all': ['equal-states', 'corrections'],
  'systems/wrong/13-posted-without-search': ['no-effect-twice', 'killed-at-writes'],
  'systems/wrong/14-invoice-never-moved': ['equal-states', 'corrections'],
  'systems/wrong/15-remembered-before-patch': ['failed-writes', 'faults-of-either-write'],
  'systems/wrong/16-patch-not-awaited': ['awaits-work', 'copies'],
  'systems/wrong/17-removal-swallowed': ['failed-writes', 'withdrawn-amid-faults'],
}

describe('the conformance run catches', () => {
  const cases = wrongSystems.flatMap(({ file, farSide }) => {
    const by = caughtBy[file]
    return by === undefined ? [] : [[file, farSide, ...by] as const]
  })
  it.each(cases)('%s', async (file, farSide, rule, named) => {
    const host = hostOf(file, await settingsOf(farSide))
    const tour = toursOf(await host.handlers(), 1).find(({ name }) => name === named)
    if (tour === undefined) throw new Error(`There is no tour ${named}.`)
    const { verdicts } = await judgeSteps(tour.steps, depsOf(host, tour.seed))
    expect(verdicts.get(rule)).toMatchObject({ result: 'fail' })
  })
})

it('a list has ids of its own each time, whatever its seed', async () => {
  const register = await startFarSide(() => ({ status: 204 }))
  started.push(register)
  const host = hostOf('systems/right/02-register', { REGISTER_URL: register.url })
  for (let list = 0; list < 2; list += 1) await judgeSteps(brief, depsOf(host, 7))
  expect(new Set(register.requests.map(({ path }) => path)).size).toBe(2)
})

it('a system where no server answers finds by a search what was posted', async () => {
  const host = hostOf('systems/right/01-board', { BOARD_URL: 'https://board.example' })
  const { verdicts } = await judgeSteps([...brief, { do: 'restart' }, ...brief], depsOf(host, 7))
  expect([...verdicts.values()].filter(({ result }) => result === 'fail')).toEqual([])
})

it('a system that answers 404 to everything ends the run, and is named with a request', async () => {
  const register = await startFarSide(() => ({ status: 404 }))
  started.push(register)
  const host = hostOf('systems/right/02-register', { REGISTER_URL: register.url })
  const { host: address } = new URL(register.url)
  await expect(judgeSteps(brief, depsOf(host, 7))).rejects.toThrow(
    new RegExp(`^${address} answered 404 to all \\d+ requests, such as the PUT /records/\\{id\\} to ${address}\\.`),
  )
})
