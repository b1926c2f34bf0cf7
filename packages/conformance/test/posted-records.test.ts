import { expect, it } from 'vitest'
import { lastDayLeftBehind } from '../src/rules/last-days.ts'
import { repeatedWithoutReading } from '../src/rules/posted-records.ts'

const place = '/https_billing.example/invoices'
const post = {
  method: 'POST',
  path: place,
  body: '{"last_day":"2027-01-31"}',
  done: { status: 201, body: '{"id":"7"}' },
}
const answered = { ...post, answered: { status: 201 } }
const search = { method: 'GET', path: `${place}?reference=pa_1`, answered: { status: 200 } }
const failedSearch = { ...search, answered: { status: 503 } }
const patch = {
  method: 'PATCH',
  path: `${place}/7`,
  body: '{"last_day":"2027-06-30"}',
  done: { status: 200, body: '' },
  answered: { status: 200 },
}
const removal = { ...patch, method: 'DELETE', body: '' }
const cancellation = { ...patch, method: 'POST', path: `${place}/7/void`, body: '{}' }

const run = { handler: 'invoice', resource: 'pa_1', isDone: true, endedAt: 100, status: 'completed', words: [] }
/** The run in which the process was killed. */
const killed = { ...run, isDone: false, endedAt: Infinity }

type Sent = Partial<typeof patch> & { by?: typeof run }

/** Requests to an own system, in this order. */
function seenOf(...calls: readonly Sent[]) {
  return {
    calls: calls.map((call, at) => ({ system: 'own', headers: {}, body: '', startedAt: at, by: run, ...call })),
    portCalls: [],
    labels: new Map([['pa_1', 'PA 0']]),
    runOf: ({ by }: { by: typeof run }) => by,
    // The rule reads no other field.
  } as never
}

it('a record whose answer was lost is not posted again before a search has succeeded', () => {
  const repeated = [expect.stringContaining('PA 0: invoice repeated a request to billing.example') as string]
  expect(repeatedWithoutReading(seenOf(search, post, answered))).toEqual(repeated)
  expect(repeatedWithoutReading(seenOf(search, post, failedSearch, answered))).toEqual(repeated)
  expect(repeatedWithoutReading(seenOf(post, answered, patch))).toEqual(repeated)
  expect(repeatedWithoutReading(seenOf(search, { ...answered, by: killed }, answered))).toEqual(repeated)
  expect(repeatedWithoutReading(seenOf(search, post, search, answered))).toEqual([])
  expect(repeatedWithoutReading(seenOf(search, post, removal, answered))).toEqual([])
})

it('a message may be repeated after a lost answer: its id is never used', () => {
  expect(repeatedWithoutReading(seenOf(post, answered))).toEqual([])
  const withoutId = { ...post, done: { status: 200, body: 'ok' } }
  expect(repeatedWithoutReading(seenOf(search, withoutId, { ...withoutId, answered: { status: 200 } }))).toEqual([])
})

it('a posted record follows the last day of its approval until it ends, and a message does not', () => {
  const course = [
    { ...run, lastDay: '2027-01-31', endedAt: 1.5 },
    { ...run, lastDay: '2027-06-30', endedAt: 9 },
  ]
  const judge = (...calls: readonly Sent[]) => {
    const ofCourse = calls.map((call) => ({ ...call, by: course[0] }))
    return lastDayLeftBehind(course as never, { effects: [], writes: [], seen: seenOf(...(ofCourse as Sent[])) })
  }
  const left = ['PA 0: invoice left billing.example a record with the last day before it moved']
  expect(judge(search, answered)).toEqual(left)
  expect(judge(search, answered, patch)).toEqual([])
  expect(judge(search, answered, removal)).toEqual([])
  expect(judge(search, answered, cancellation)).toEqual([])
  expect(judge(answered)).toEqual([])
})
