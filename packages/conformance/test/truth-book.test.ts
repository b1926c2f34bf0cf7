import { afterEach, beforeEach, expect, it } from 'vitest'
import { priorAuthorizationRequest } from '../src/canary-people.ts'
import { createTruthBook, type TruthBook, unknownStatus } from '../src/truth-book.ts'
import { createSandbox, type Sandbox } from '../../sandbox/src/sandbox.ts'
import { createApi } from '../../client/src/api/client.ts'

let sandbox: Sandbox
let book: TruthBook
let id: string
beforeEach(async () => {
  book = createTruthBook({ truth: () => sandbox.truth() })
  sandbox = createSandbox({
    seed: 1,
    speed: 0,
    organizations: [{ id: 'org_book', pharmacy: true }],
    observe: book.record,
  })
  const { url } = await sandbox.listen()
  const api = createApi({ baseUrl: url, token: await sandbox.issueToken() })
  ;({ id } = await api.createPriorAuthorization(
    priorAuthorizationRequest({ do: 'create_pa', result: 'Approved', transfer: true }, 0),
  ))
})
afterEach(() => sandbox.close())

it('a state that another followed at once, as where a handler cancels, is part of the history', () => {
  sandbox.controls.push(id, 'processing')
  sandbox.controls.push(id, 'awaiting_outcome')
  sandbox.controls.cancel(id)
  const { statuses, times } = book.historyOf(id)
  expect(statuses.slice(-3)).toEqual(['processing', 'awaiting_outcome', 'cancelled'])
  expect(times.map(({ status }) => status)).toEqual(statuses)
})

it('an unknown value is part of the history from when it is answered, and what follows it, once it is known', () => {
  sandbox.controls.push(id, 'processing')
  book.makeUnknown(id, undefined)
  expect(book.historyOf(id).statuses.slice(-2)).toEqual(['processing', unknownStatus])
  sandbox.controls.push(id, 'awaiting_outcome')
  book.makeKnown(id)
  expect(book.historyOf(id).statuses.slice(-3)).toEqual(['processing', unknownStatus, 'awaiting_outcome'])
})

it('a transfer has the statuses that the service shows, not the states that it goes through', () => {
  for (const to of ['processing', 'awaiting_outcome', 'completed'] as const) sandbox.controls.push(id, to)
  for (const to of ['attempted', 'awaiting_provider_response', 'reattempted'] as const)
    sandbox.controls.pushTransfer(id, to)
  expect(book.historyOf(id).transfers).toEqual(['in_progress', 'awaiting_provider_response', 'in_progress'])
})
