import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { buildVariable } from '../../../test/support/run-script.ts'
import { judgeSteps } from '../src/judge-steps.ts'
import { createPawlHost, type PawlHost } from '../src/pawl-host.ts'
import { replay } from '../src/replay.ts'
import { toursOf } from '../src/run-conformance.ts'
import type { Fault } from './wrong/index.ts'

/** Which rule catches which fault, in which tour; with a number, in its first steps already. */
const caughtBy: Record<Exclude<Fault, 'is worn out after two starts'>, [rule: string, tour: string, first?: number]> = {
  'writes the payload': ['order-kept', 'copies'],
  'is not idempotent': ['no-effect-twice', 'copies', 13],
  'swallows errors': ['in-step', 'clocks'],
  'keeps state in memory': ['survives-restart', 'kills', 16],
  'logs a name': ['no-patient-data', 'copies', 4],
  'names a patient in an error': ['no-patient-data', 'copies', 4],
  'ignores the signal': ['stops-in-time', 'kills'],
  'updates by search without checking': ['own-resources', 'failures', 4],
  'overwrites what staff wrote': ['no-lost-update', 'failures'],
  'relies on order': ['order-kept', 'copies', 4],
  'never closes its task': ['in-step', 'copies', 21],
  'sends on every run': ['no-effect-twice', 'copies'],
  'blocks the loop': ['free-loop', 'copies'],
  'asks the service again and again': ['bounded-reads', 'copies', 4],
  'goes around the rate limit': ['rate-limits', 'detours'],
  'fails on unknown values': ['unknown-tolerated', 'clocks'],
  'leaves an error uncaught': ['keeps-running', 'copies'],
  'deletes what it finds': ['own-resources', 'companions', 28],
  'names each attempt anew': ['no-effect-twice', 'faults-of-either-write'],
  'counts in memory': ['survives-restart', 'killed-at-writes'],
  'remembers before it sends': ['in-step', 'faults-of-either-write'],
  'knows one word for an approval': ['in-step', 'endings-1'],
  'keys what it does by the status': ['in-step', 'returns'],
  'writes the first state alone': ['in-step', 'copies', 8],
  'writes before it cancels': ['in-step', 'copies'],
  'does not wait': ['in-step', 'failures'],
  'posts without waiting': ['awaits-work', 'corrections'],
  'has a clock in its note': ['no-effect-twice', 'copies', 4],
  'keeps the first patient': ['kept-apart', 'copies', 4],
  'files no attachment': ['in-step', 'histories', 13],
  'sends everything at once': ['bounded-requests', 'histories', 7],
  'takes the first drug alone': ['in-step', 'day-later', 8],
  'leaves a timer': ['nothing-left', 'copies', 4],
  'leaves a temporary file': ['nothing-left', 'copies', 4],
  'keys what it does by the name of the patient': ['no-patient-data', 'copies', 4],
  'posts on every run': ['no-effect-twice', 'copies', 8],
  'keeps one record for a patient': ['kept-apart', 'companions', 7],
  'adds to a journal on every run': ['no-effect-twice', 'copies', 8],
  'has chance in what it puts': ['no-effect-twice', 'copies', 8],
  'opens its task the first time alone': ['equal-states', 'returns'],
  'posts once for each status': ['equal-states', 'returns', 18],
  'remembers for good whom it asked': ['equal-states', 'returns'],
  'puts a flag as it was read': ['no-lost-update', 'edited-before-writes'],
  'puts a flag over a conflict': ['no-lost-update', 'edited-before-writes'],
  'records the first state alone': ['equal-states', 'copies', 13],
  'gives up when its record is refused': ['equal-states', 'faults-of-either-write'],
  'records each status once': ['equal-states', 'returns', 18],
  'notes the drug of the case before': ['kept-apart', 'copies', 8],
  'posts the message of the case before': ['kept-apart', 'copies', 13],
  'does not look at the answer': ['in-step', 'faults-of-either-write'],
  'remembers before it posts': ['in-step', 'faults-of-either-write'],
  'swallows the error of its note': ['in-step', 'faults-of-either-write'],
  'verifies benefits on every run': ['no-effect-twice', 'copies', 8],
  'takes a failed read for absence': ['equal-states', 'failed-reads'],
  'posts of one word for an approval': ['equal-states', 'endings-1'],
  'posts the newest message alone': ['equal-states', 'histories', 7],
  'leaves its own task open': ['equal-states', 'detours'],
  'notes the states that it knows': ['equal-states', 'detours'],
  'records a transfer with the status alone': ['equal-states', 'transfers'],
  'prints a birth date in the way of its country': ['no-patient-data', 'copies', 4],
  'leaves out the notes of calls': ['in-step', 'histories', 13],
  'leaves out why a transfer failed': ['in-step', 'transfers'],
  'posts each state under its name': ['equal-states', 'returns', 18],
  'writes days in its own zone': ['values-kept', 'copies'],
  'takes the id of a pharmacy for a number': ['values-kept', 'copies', 4],
  'throws at an error that it does not know': ['unknown-tolerated', 'transfers'],
  'needs the last day of an approval': ['in-step', 'companions'],
  'authorizes a prescriber for each PA': ['in-step', 'copies', 4],
  'lists each drug once': ['in-step', 'day-later', 8],
  'skips a thread that is resolved': ['in-step', 'histories', 7],
  'gives up a file whose address has expired': ['in-step', 'histories', 7],
  'leaves out a cost of nothing': ['in-step', 'verifications'],
  'asks for the first drug that needs it': ['equal-states', 'verifications'],
  'puts words into JSON by hand': ['values-kept', 'copies', 13],
  'throws at a coverage that it does not know': ['unknown-tolerated', 'verifications'],
  'keeps facts that were withdrawn': ['in-step', 'histories'],
  'withdraws a PA that has ended': ['in-step', 'unclear'],
  'takes what may have run for done': ['in-step', 'faults'],
  'follows too few events': ['in-step', 'copies'],
  'writes of an end that it does not know': ['equal-states', 'unheard-of', 27],
  'ends its task in a status that it does not know': ['equal-states', 'unheard-of', 27],
  'withdraws what it does not know': ['in-step', 'unheard-of', 27],
  'knows a denial by its code': ['equal-states', 'unclear'],
  'repeats a write without end': ['stops-in-time', 'stopped-amid-faults'],
  'gives up after four attempts': ['equal-states', 'faults-in-a-row'],
  'takes a conflict for done': ['in-step', 'edited-before-writes'],
  'puts its old task under a new version': ['no-lost-update', 'edited-before-writes'],
  'puts its task without a version': ['no-lost-update', 'edited-before-writes'],
  'draws a key for each attempt': ['no-effect-twice', 'faults-of-either-write'],
  'has a key of its process': ['survives-restart', 'killed-at-writes'],
  'passes on what is later than the last': ['equal-states', 'copies'],
  'appeals again without an answer': ['no-effect-twice', 'faults'],
  'keeps a BV that it read': ['equal-states', 'companions'],
  'remembers the answer before': ['equal-states', 'there-and-back'],
  'has one note for all attempts': ['equal-states', 'outreaches'],
  'has one task for a patient': ['in-step', 'unclear'],
  'skips its own cancellation': ['equal-states', 'unclear'],
  'takes a failed cancellation for an end': ['in-step', 'needed-no-longer'],
  'cancels after one attempt': ['in-step', 'outreaches'],
  'cancels transfers that need no PA': ['in-step', 'unclear'],
  'leaves its task open after a cancellation': ['equal-states', 'transfers'],
  'asks for a PA of a cancelled BV': ['equal-states', 'verifications'],
  'files what events tell alone': ['in-step', 'verifications'],
  'joins dollars and cents as numbers': ['values-kept', 'verifications'],
  'ends an approval a day early': ['values-kept', 'copies'],
  'ends an approval in a year': ['no-effect-twice', 'day-later'],
  'keeps the cost of a check before': ['equal-states', 'unclear'],
  'takes a cost of nothing for none': ['equal-states', 'unclear'],
  'gives up a fax whose address has expired': ['in-step', 'histories', 13],
  'notes the cost of the first drug': ['equal-states', 'verifications'],
  'takes unknown findings for none': ['equal-states', 'verifications'],
  'says that unknown drugs are not covered': ['equal-states', 'verifications'],
  'knows an approval by its code': ['equal-states', 'endings-1'],
  'takes a cost of nothing for an unknown one': ['equal-states', 'unclear'],
  'lets an approval end a year after its prescription': ['values-kept', 'companions'],
  'puts words into a form by hand': ['values-kept', 'histories', 7],
  'opens its task for a transfer once': ['equal-states', 'transfers'],
  'takes a thread for answered for good': ['equal-states', 'histories'],
  'numbers what it puts by the status': ['order-kept', 'copies'],
  'keys its post by the newest event': ['no-effect-twice', 'copies'],
  'sends feedback again without an answer': ['no-effect-twice', 'faults'],
  'skips a note that it may have written': ['equal-states', 'faults-of-either-write'],
  'keeps a login that failed': ['in-step', 'failed-reads'],
  'ends its wait after one attempt': ['in-step', 'outreaches'],
  'takes the next case of a patient for an appeal': ['equal-states', 'histories'],
  'notes the result of a move alone': ['equal-states', 'corrections'],
  'asks for an appeal against all but approvals': ['equal-states', 'unclear'],
  'has one reason for all that waits': ['no-lost-update', 'ended-by-staff'],
  'opens again what staff completed': ['no-lost-update', 'ended-by-staff'],
  'keeps an appeal with the one before': ['equal-states', 'appeals-in-turn'],
  'takes an unknown result for an approval': ['equal-states', 'histories'],
  'files faxes as they are announced': ['equal-states', 'corrections'],
  'tells no transfer that is as it was': ['in-step', 'there-and-back'],
  'ends its task with some ends alone': ['equal-states', 'detours'],
  'has a key of its process for a BV': ['survives-restart', 'killed-at-writes'],
  'counts what it tries': ['no-effect-twice', 'faults-of-either-write'],
  'takes a failed look for an attempt that is known': ['in-step', 'failed-reads'],
  'knows few answers of an outage': ['in-step', 'faults-of-either-write'],
  'keys what it posts by the day': ['no-effect-twice', 'until-the-next-day'],
  'files the first attachment alone': ['equal-states', 'histories', 13],
}

const built = (path: string) => join(process.env[buildVariable] ?? '', 'dist/packages/conformance', path)

/** A host of the integration with this fault alone, or of what is shipped. */
function hostWith(fault = ''): PawlHost {
  const url = pathToFileURL(built('test/wrong/integration.js'))
  url.searchParams.set('fault', fault)
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
  it.each(Object.entries(caughtBy))('a handler that %s, by the rule and in the tour %j', async (fault, row) => {
    const [rule, tour, first] = row
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
        return replay({ rule: 'no-effect-twice', seed, steps }, deps, (line) => void lines.push(line))
      })
    expect(await again('sends on every run')).toBe(true)
    expect(lines.at(-1)).toMatch(/^Still failing: no-effect-twice: PA \d: the pharmacy was told twice /)
    expect(await again()).toBe(false)
    expect(lines.at(-1)).toBe('Fixed: no-effect-twice holds.')
  })
})
