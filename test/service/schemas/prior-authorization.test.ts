import { describe, expect, it } from 'vitest'
import { isApproved } from '../../../src/service/schemas/outcome.ts'
import { PriorAuthorization } from '../../../src/service/schemas/prior-authorization.ts'

const outcomeOf = (outcome: unknown) =>
  PriorAuthorization.parse({ id: 'pa_req_1', status: 'completed', outcome }).outcome

describe('an outcome', () => {
  it.each(['Approved', 'Approval'])('of %s is an approval', (result) => {
    expect(isApproved(outcomeOf({ result, detail_code: 'approval' }))).toBe(true)
  })

  it.each(['Denied', 'Not Submitted', 'Other', 'Pending', 'approved', null, 7])('of %j is none', (result) => {
    expect(isApproved(outcomeOf({ result, detail_code: 'approval' }))).toBe(false)
  })

  it('that is absent is no approval', () => {
    expect(isApproved(outcomeOf(null))).toBe(false)
  })
})
