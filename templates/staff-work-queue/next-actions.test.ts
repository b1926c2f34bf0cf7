import { expect, it } from 'vitest'
import {
  priorAuthorizationStatuses,
  terminalPriorAuthorizationStatuses,
} from '../../packages/client/src/schemas/prior-authorization.ts'
import { samplePriorAuthorization } from '../../test/support/samples.ts'
import { isPossible, nextActions } from './next-actions.ts'

const actionsOf = (status: string, outcome: object = { result: 'Pending' }) =>
  nextActions(samplePriorAuthorization({ status, outcome }))
const possibleIn = (status: string, outcome?: object) =>
  actionsOf(status, outcome)
    .filter(isPossible)
    .map(({ name }) => name)
const whyNot = (name: string, status: string, outcome?: object) =>
  actionsOf(status, outcome).find((action) => action.name === name)?.whyNot

for (const [status, outcome, possible] of [
  ['created', undefined, ['cancel']],
  ['processing', undefined, ['cancel']],
  ['awaiting_review', undefined, ['review', 'cancel']],
  ['awaiting_provider_response', undefined, ['answer', 'cancel']],
  ['validating_outcome', { result: 'Denied' }, ['cancel']],
  ['a_status_of_next_year', undefined, ['cancel']],
  ['not_submitted', { result: 'Not Submitted', detail_code: 'more_information_required' }, ['resubmit']],
  [
    'not_submitted',
    { result: 'Not Submitted', detail_code: 'benefit_verification_pa_not_required' },
    ['resubmit', 'quantity_limit_exception'],
  ],
  ['completed', { result: 'Denied', detail_code: 'unknown' }, ['resubmit', 'appeal']],
  ['completed', { result: 'Approved', detail_code: 'approval' }, ['resubmit', 'quantity_limit_exception']],
  ['completed', { result: 'Other', detail_code: 'prior_auth_not_required' }, ['resubmit', 'quantity_limit_exception']],
  ['failed', { result: 'Other', detail_code: 'other' }, ['resubmit']],
  ['cancelled', { result: 'Denied' }, ['resubmit']],
] as const) {
  const because = outcome === undefined ? '' : `, ${Object.values(outcome).join(', ')}`
  it(`allows ${possible.join(' and ')} for ${status}${because}`, () => {
    expect(possibleIn(status, outcome)).toEqual(possible)
  })
}

it('knows which statuses are terminal as the gateway does', () => {
  for (const status of priorAuthorizationStatuses)
    expect(possibleIn(status).includes('cancel')).toBe(!terminalPriorAuthorizationStatuses.includes(status))
})

it('says why an action is not possible', () => {
  expect(whyNot('resubmit', 'processing')).toEqual(['It is processing, and has to end first.'])
  expect(whyNot('appeal', 'processing')).toEqual(['It is processing, and has to end first.', 'It was not denied.'])
  expect(whyNot('cancel', 'completed')).toEqual(['It is completed, and an ended PA cannot be cancelled.'])
  expect(whyNot('quantity_limit_exception', 'completed', { result: 'Denied' })).toEqual([
    'It was neither approved nor found to need no authorization.',
  ])
  expect(whyNot('review', 'created')).toEqual(['It is created, so no review is waiting.'])
})

it('names the PA that a new request has to refer to', () => {
  const actions = actionsOf('completed', { result: 'Denied' })
  for (const name of ['resubmit', 'appeal', 'quantity_limit_exception'])
    expect(actions.find((action) => action.name === name)?.how).toContain('pa_req_1')
})
