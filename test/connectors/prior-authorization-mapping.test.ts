import type { Task } from 'fhir/r4.js'
import { describe, expect, it } from 'vitest'
import { toClaimResponse } from '../../src/connectors/ehr/fhir/mapping/claim-response.ts'
import { toTask } from '../../src/connectors/ehr/fhir/mapping/task.ts'
import { faultsOf } from '../support/fhir-validators.ts'
import { reviewActionOf } from '../support/review-action.ts'
import { mappingContext } from '../support/mapping-context.ts'
import { samplePriorAuthorization } from '../support/samples.ts'

const context = mappingContext()
const { base, now, patient } = context
const personal = /Testa|Sample Agent|1970-01-31|MRN-0007|Nowhere|555-01/

const queuedBefore = toClaimResponse(context, samplePriorAuthorization())

describe('a prior authorization', () => {
  it('points at the patient of the chart, and carries nothing else of the patient', () => {
    const completed = samplePriorAuthorization({ status: 'completed', outcome: { result: 'Approved' } })
    const task = toTask(context, completed)
    const response = toClaimResponse(context, completed)
    expect(JSON.stringify([task, response])).not.toMatch(personal)
    expect([task.for, response?.patient]).toEqual([patient, patient])
    expect(task.requester).toEqual({
      type: 'Practitioner',
      identifier: { system: 'http://hl7.org/fhir/sid/us-npi', value: '1234567893' },
    })
  })

  it('that resubmits another points at its Task', () => {
    const task = toTask(
      context,
      samplePriorAuthorization({ resubmission_info: { previous_prior_auth_request_id: 'pa_req_0' } }),
    )
    expect(faultsOf(task)).toEqual([])
    expect(task.basedOn?.[0]?.identifier).toEqual({ system: `${base}/prior-authorization`, value: 'pa_req_0' })
  })

  it('with nothing but an id and a status still becomes valid resources', () => {
    const bare = samplePriorAuthorization({
      status: 'completed',
      outcome: undefined,
      patient: undefined,
      provider: undefined,
      insurance: undefined,
    })
    expect(faultsOf(toTask(context, bare))).toEqual([])
    const response = toClaimResponse(context, bare)
    expect(response && faultsOf(response)).toEqual([])
    expect(reviewActionOf(response)).toBeUndefined()
  })

  it('of unknown status keeps the Task status that the chart has, unless it is a terminal one', () => {
    const unknown = samplePriorAuthorization({ status: 'paused_by_payer' })
    const keep = (status: Task['status']) =>
      toTask(context, unknown, { ...toTask(context, samplePriorAuthorization()), status }).status
    expect(keep('on-hold')).toBe('on-hold')
    expect(keep('requested')).toBe('requested')
    for (const terminal of ['completed', 'failed', 'rejected', 'cancelled'] as const) {
      expect(keep(terminal)).toBe('in-progress')
    }
  })

  it('of unknown status leaves the determination of the chart as it is', () => {
    const unknown = samplePriorAuthorization({ status: 'paused_by_payer' })
    expect(toClaimResponse(context, unknown, queuedBefore)).toBeUndefined()
  })

  it('when cancelled cancels the determination that the chart has, with review action C', () => {
    const response = toClaimResponse(context, samplePriorAuthorization({ status: 'cancelled' }), queuedBefore)
    expect(response).toMatchObject({ status: 'cancelled', outcome: 'queued' })
    expect(reviewActionOf(response)).toBe('C')
    expect(response && faultsOf(response)).toEqual([])
  })

  it('when not submitted withdraws the determination that the chart has, since none will come', () => {
    const response = toClaimResponse(context, samplePriorAuthorization({ status: 'not_submitted' }), queuedBefore)
    expect(response).toMatchObject({ status: 'cancelled' })
    expect(reviewActionOf(response)).toBeUndefined()
    expect(response && faultsOf(response)).toEqual([])
  })

  it('ends withdrawn in the same way, from any earlier state in the chart', () => {
    const before = [
      queuedBefore,
      toClaimResponse(context, samplePriorAuthorization({ status: 'awaiting_outcome' })),
      toClaimResponse(context, samplePriorAuthorization({ status: 'failed' })),
    ]
    for (const status of ['not_submitted', 'cancelled']) {
      const ends = before.map((previous) => toClaimResponse(context, samplePriorAuthorization({ status }), previous))
      expect(ends).toEqual([ends[0], ends[0], ends[0]])
    }
  })

  it('stays pended by the insurer while people review or answer after the submission', () => {
    const pended = toClaimResponse(context, samplePriorAuthorization({ status: 'awaiting_outcome' }))
    for (const status of ['processing', 'awaiting_review', 'awaiting_provider_response']) {
      const pa = samplePriorAuthorization({ status })
      expect(reviewActionOf(toClaimResponse(context, pa, queuedBefore))).toBeUndefined()
      expect(reviewActionOf(toClaimResponse(context, pa, pended))).toBe('A4')
    }
  })

  it('carries no review action where their codes are not licensed', () => {
    const unlicensed = mappingContext({ hasReviewActionCodes: false })
    for (const status of ['awaiting_outcome', 'completed', 'cancelled']) {
      const pa = samplePriorAuthorization({ status, outcome: { result: 'Denied', detail_code: 'plan_exclusion' } })
      const response = toClaimResponse(unlicensed, pa, queuedBefore)
      expect(response?.item).toBeUndefined()
      expect(response && faultsOf(response)).toEqual([])
    }
  })

  it('keeps the date on which the determination was first written', () => {
    const later = toClaimResponse(
      mappingContext({ now: '2027-01-01T00:00:00.000Z' }),
      samplePriorAuthorization({ status: 'failed' }),
      queuedBefore,
    )
    expect(later?.created).toBe(now)
  })

  it('leaves out the start of a period that would end before it starts', () => {
    const outcome = {
      result: 'Approved',
      authorization_start_date: '2027-01-01',
      authorization_expiration: '2026-01-01',
    }
    const response = toClaimResponse(context, samplePriorAuthorization({ status: 'completed', outcome }))
    expect(response?.preAuthPeriod).toEqual({ end: '2026-01-01' })
    expect(response && faultsOf(response)).toEqual([])
  })
})
