import { expect, it } from 'vitest'
import type { HandlerRun } from '../src/handler-runs.ts'
import { noEffectTwice } from '../src/rules/no-effect-twice.ts'

/** Two runs of a handler that put the same task; the second arrives when both are over. */
function judge(first: Partial<HandlerRun>, second: Partial<HandlerRun>, lost: readonly string[] = []) {
  const runs = [first, second].map((run) => ({
    resource: 'pa_1',
    handler: 'chart',
    isDone: true,
    beganAt: 0,
    endedAt: 9,
    ...run,
  }))
  const body = JSON.stringify({ resourceType: 'Task', id: '1', status: 'requested' })
  const calls = runs.map((_, at) => ({
    system: 'chart',
    method: 'PUT',
    path: '/fhir/R4/Task/1',
    body,
    by: { run: at },
    startedAt: at,
    endedAt: at,
    done: { at, status: 200, body },
  }))
  const seen = {
    calls,
    runs,
    labels: new Map(),
    edits: [],
    portCalls: [],
    receipts: [],
    lostClaims: new Set(lost),
    runOf: ({ by }: { by: { run: number } }) => runs[by.run],
  }
  return noEffectTwice.judge(seen as never)
}

it('a task that two runs put alike was written again without a change, unless one failed or its claim was lost', () => {
  expect(judge({}, {})).toMatchObject({ because: expect.stringContaining('wrote a Task again') as string })
  for (const excused of [judge({ isDone: false }, {}), judge({}, { isDone: false }), judge({}, {}, ['pa_1'])])
    expect(excused).not.toHaveProperty('because')
})
