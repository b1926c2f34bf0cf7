import { afterEach, describe, expect, it } from 'vitest'
import { createPawlHost, type PawlHost } from '../src/pawl-host.ts'
import { judgeSteps } from '../src/judge-steps.ts'
import { runConformance, toursOf } from '../src/run-conformance.ts'
import type { AmountAndDayFault } from './wrong/amounts-and-days.ts'
import type { AttemptFault } from './wrong/attempts.ts'
import type { CalledOffFault } from './wrong/called-off.ts'
import type { ConnectorFault } from './wrong/connectors.ts'
import type { FindingAndDayFault } from './wrong/findings-and-days.ts'
import type { FurtherFault } from './wrong/further-handlers.ts'
import type { GoingOnFault } from './wrong/going-on.ts'
import type { HandlerFault } from './wrong/handlers.ts'
import type { KeyAndMemoryFault } from './wrong/keys-and-memory.ts'
import type { ListAndValueFault } from './wrong/lists-and-values.ts'
import type { MomentFault } from './wrong/moments.ts'
import type { PassingOverFault } from './wrong/passed-over.ts'
import type { SecondVisitFault } from './wrong/second-visits.ts'
import type { TakenBackFault } from './wrong/taken-back.ts'
import type { UnknownEndFault } from './wrong/unknown-ends.ts'
import type { UnreadAnswerFault } from './wrong/unread-answers.ts'

/** Which rule is to catch which fault, and the tour that is known to show it; without one, the whole run has to. */
const caughtBy: Record<
  | HandlerFault
  | FurtherFault
  | ConnectorFault
  | SecondVisitFault
  | PassingOverFault
  | UnreadAnswerFault
  | ListAndValueFault
  | UnknownEndFault
  | GoingOnFault
  | KeyAndMemoryFault
  | CalledOffFault
  | AmountAndDayFault
  | FindingAndDayFault
  | MomentFault
  | TakenBackFault
  | AttemptFault,
  [rule: string, tour?: string]
> = {
  'writes the payload': ['order-kept', 'copies'],
  'is not idempotent': ['no-effect-twice', 'copies'],
  'swallows errors': ['in-step', 'clocks'],
  'keeps state in memory': ['survives-restart', 'kills'],
  'logs a name': ['no-patient-data', 'copies'],
  'names a patient in an error': ['no-patient-data', 'copies'],
  'ignores the signal': ['stops-in-time'],
  'updates by search without checking': ['own-resources', 'failures'],
  'overwrites what staff wrote': ['no-lost-update', 'failures'],
  'relies on order': ['order-kept', 'copies'],
  'never closes its task': ['in-step', 'copies'],
  'sends on every run': ['no-effect-twice', 'copies'],
  'blocks the loop': ['free-loop', 'copies'],
  'asks the service again and again': ['bounded-reads'],
  'goes around the rate limit': ['rate-limits'],
  'fails on unknown values': ['unknown-tolerated'],
  'leaves an error uncaught': ['keeps-running'],
  'deletes what it finds': ['own-resources'],
  'names each attempt anew': ['no-effect-twice'],
  'counts in memory': ['survives-restart'],
  'remembers before it sends': ['in-step'],
  'knows one word for an approval': ['in-step'],
  'keys what it does by the status': ['in-step'],
  'writes the first state alone': ['in-step'],
  'is worn out after two starts': ['in-step'],
  'writes before it cancels': ['in-step'],
  'does not wait': ['in-step'],
  'posts without waiting': ['awaits-work'],
  'has a clock in its note': ['no-effect-twice'],
  'keeps the first patient': ['kept-apart'],
  'files no attachment': ['in-step'],
  'sends everything at once': ['bounded-requests'],
  'takes the first drug alone': ['in-step'],
  'leaves a timer': ['nothing-left'],
  'leaves a temporary file': ['nothing-left'],
  'keys what it does by the name of the patient': ['no-patient-data'],
  'posts on every run': ['no-effect-twice'],
  'keeps one record for a patient': ['kept-apart'],
  'adds to a journal on every run': ['no-effect-twice'],
  'has chance in what it puts': ['no-effect-twice'],
  'opens its task the first time alone': ['equal-states'],
  'posts once for each status': ['equal-states'],
  'remembers for good whom it asked': ['equal-states'],
  'puts a flag as it was read': ['no-lost-update'],
  'puts a flag over a conflict': ['no-lost-update'],
  'records the first state alone': ['equal-states'],
  'gives up when its record is refused': ['equal-states'],
  'records each status once': ['equal-states'],
  'notes the drug of the case before': ['kept-apart'],
  'posts the message of the case before': ['kept-apart'],
  'does not look at the answer': ['in-step'],
  'remembers before it posts': ['in-step'],
  'swallows the error of its note': ['in-step'],
  'verifies benefits on every run': ['no-effect-twice'],
  'takes a failed read for absence': ['equal-states'],
  'posts of one word for an approval': ['equal-states'],
  'posts the newest message alone': ['equal-states'],
  'leaves its own task open': ['equal-states'],
  'notes the states that it knows': ['equal-states'],
  'records a transfer with the status alone': ['equal-states'],
  'prints a birth date in the way of its country': ['no-patient-data'],
  'leaves out the notes of calls': ['in-step'],
  'leaves out why a transfer failed': ['in-step'],
  'posts each state under its name': ['equal-states'],
  'writes days in its own zone': ['values-kept'],
  'takes the id of a pharmacy for a number': ['values-kept'],
  'throws at an error that it does not know': ['unknown-tolerated'],
  'needs the last day of an approval': ['in-step'],
  'authorizes a prescriber for each PA': ['in-step'],
  'lists each drug once': ['in-step'],
  'skips a thread that is resolved': ['in-step'],
  'gives up a file whose address has expired': ['in-step'],
  'leaves out a cost of nothing': ['in-step'],
  'asks for the first drug that needs it': ['equal-states'],
  'puts words into JSON by hand': ['values-kept'],
  'throws at a coverage that it does not know': ['unknown-tolerated'],
  'keeps facts that were withdrawn': ['in-step'],
  'withdraws a PA that has ended': ['in-step'],
  'takes what may have run for done': ['in-step'],
  'follows too few events': ['in-step'],
  'writes of an end that it does not know': ['equal-states'],
  'ends its task in a status that it does not know': ['equal-states'],
  'withdraws what it does not know': ['in-step'],
  'knows a denial by its code': ['equal-states'],
  'repeats a write without end': ['stops-in-time'],
  'gives up after four attempts': ['equal-states'],
  'takes a conflict for done': ['in-step'],
  'puts its old task under a new version': ['no-lost-update'],
  'puts its task without a version': ['no-lost-update'],
  'draws a key for each attempt': ['no-effect-twice'],
  'has a key of its process': ['survives-restart'],
  'passes on what is later than the last': ['equal-states'],
  'appeals again without an answer': ['no-effect-twice'],
  'keeps a BV that it read': ['equal-states'],
  'remembers the answer before': ['equal-states'],
  'has one note for all attempts': ['equal-states'],
  'has one task for a patient': ['in-step'],
  'skips its own cancellation': ['equal-states'],
  'takes a failed cancellation for an end': ['in-step'],
  'cancels after one attempt': ['in-step'],
  'cancels transfers that need no PA': ['in-step'],
  'leaves its task open after a cancellation': ['equal-states'],
  'asks for a PA of a cancelled BV': ['equal-states'],
  'files what events tell alone': ['in-step'],
  'joins dollars and cents as numbers': ['values-kept'],
  'ends an approval a day early': ['values-kept'],
  'ends an approval in a year': ['no-effect-twice'],
  'keeps the cost of a check before': ['equal-states'],
  'takes a cost of nothing for none': ['equal-states'],
  'gives up a fax whose address has expired': ['in-step'],
  'notes the cost of the first drug': ['equal-states'],
  'takes unknown findings for none': ['equal-states'],
  'says that unknown drugs are not covered': ['equal-states'],
  'knows an approval by its code': ['equal-states'],
  'takes a cost of nothing for an unknown one': ['equal-states'],
  'lets an approval end a year after its prescription': ['values-kept'],
  'puts words into a form by hand': ['values-kept'],
  'opens its task for a transfer once': ['equal-states'],
  'takes a thread for answered for good': ['equal-states'],
  'numbers what it puts by the status': ['order-kept'],
  'keys its post by the newest event': ['no-effect-twice'],
  'sends feedback again without an answer': ['no-effect-twice'],
  'skips a note that it may have written': ['equal-states'],
  'keeps a login that failed': ['in-step'],
  'ends its wait after one attempt': ['in-step'],
  'takes the next case of a patient for an appeal': ['equal-states'],
  'notes the result of a move alone': ['equal-states'],
  'asks for an appeal against all but approvals': ['equal-states'],
  'has one reason for all that waits': ['no-lost-update'],
  'opens again what staff completed': ['no-lost-update'],
  'keeps an appeal with the one before': ['equal-states'],
  'takes an unknown result for an approval': ['equal-states'],
  'files faxes as they are announced': ['equal-states'],
  'tells no transfer that is as it was': ['in-step'],
  'ends its task with some ends alone': ['equal-states'],
  'has a key of its process for a BV': ['survives-restart'],
  'counts what it tries': ['no-effect-twice'],
  'takes a failed look for an attempt that is known': ['in-step'],
  'knows few answers of an outage': ['in-step'],
  'keys what it posts by the day': ['no-effect-twice'],
  'files the first attachment alone': ['equal-states'],
}

let host: PawlHost | undefined
afterEach(() => host?.close())

describe('the quick profile catches an integration that', () => {
  it.each(Object.entries(caughtBy).map(([fault, [rule, tour = 'any list']]) => ({ fault, rule, tour })))(
    '$fault, by $rule in $tour',
    async ({ fault, rule, tour }) => {
      const url = new URL('wrong/integration.ts', import.meta.url)
      url.searchParams.set('fault', fault)
      host = createPawlHost({ integrationUrl: url.href, environment: process.env })
      const deps = { host, seed: 1, env: {}, signal: new AbortController().signal }
      const list = toursOf(await host.handlers(), deps.seed).find(({ name }) => name === tour)
      if (list !== undefined) {
        const { verdicts } = await judgeSteps(list.steps, { ...deps, seed: list.seed })
        expect(verdicts.get(rule)).toMatchObject({ result: 'fail' })
        return
      }
      expect(tour).toBe('any list')
      const lines: string[] = []
      const print = (line: string) => void lines.push(line)
      const how = { profile: 'quick', minutes: undefined, only: rule, shrinks: false } as const
      const { failure } = await runConformance({ deps, print, ...how })
      expect(failure?.rule, lines.join('\n')).toBe(rule)
    },
  )
})
