import { expect, it } from 'vitest'
import { onlyAtFinalSync } from '../src/rules/missed-news.ts'

const run = { handler: 'orders-sync', resource: 'pa_1', isDone: true, endedAt: 2, snapshot: 'approved' }
const approved = { ...run, beganAt: 1, words: ['completed', 'Approved', 'approval', '', ''] }
const denied = { ...run, beganAt: 11, endedAt: 12, snapshot: 'denied', words: ['completed', 'Denied', 'other', '', ''] }

/** A change of the result that reached an own system only at the final sync. */
const reasonsOf = (reads?: readonly string[]) => {
  const put = {
    system: 'own',
    method: 'PUT',
    path: '/https_orders.example/pa_1',
    headers: {},
    body: '{"result":"Denied"}',
  }
  const later = { ...denied, reads }
  const done = { status: 200, body: '', at: 11.5 }
  return onlyAtFinalSync({
    runs: [approved, later],
    calls: [{ ...put, startedAt: 11.2, done, answered: { status: 200 } }],
    portCalls: [],
    labels: new Map([['pa_1', 'PA 0']]),
    unknownIds: new Set(),
    clockChanges: 0,
    finalSyncAt: 10,
    runOf: () => later,
    // The rule reads no other field.
  } as never)
}

it('a change that arrived only at the final sync is blamed on `reads` that leave it out, else on the events', () => {
  const late = 'PA 0: orders-sync changed orders.example only at the final sync'
  expect(reasonsOf(['status'])).toEqual([`${late}; its \`reads\` leave out outcome`])
  expect(reasonsOf()).toEqual([`${late}; it follows no event that reports the change`])
})
