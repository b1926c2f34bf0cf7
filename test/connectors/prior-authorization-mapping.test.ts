import type { Task } from 'fhir/r4.js'
import { describe, expect, it } from 'vitest'
import { toClaimResponse } from '../../src/connectors/ehr/fhir/mapping/claim-response.ts'
import { toTask } from '../../src/connectors/ehr/fhir/mapping/task.ts'
import { faultsOf } from '../support/fhir-validators.ts'
import { reviewActionOf } from '../support/review-action.ts'
import { samplePriorAuthorization } from '../support/samples.ts'

const base = 'https://clinic.example/id'
const now = '2026-03-01T12:00:00.000Z'
const personal = /Testa|Sample Agent|1970-01-31|MRN-0007|Nowhere|555-01/

const queuedBefore = toClaimResponse(base, samplePriorAuthorization(), { previous: undefined, now })

describe('a prior authorization', () => {
  it('carries no more of the patient than the id that the customer gave', () => {
    const completed = samplePriorAuthorization({ status: 'completed', outcome: { result: 'Approved' } })
    const task = toTask(base, completed)
    const response = toClaimResponse(base, completed, { previous: undefined, now })
    expect(JSON.stringify([task, response])).not.toMatch(personal)
    const patient = { type: 'Patient', identifier: { system: `${base}/patient`, value: 'patient-7' } }
    expect([task.for, response?.patient]).toEqual([patient, patient])
    expect(task.requester).toEqual({
      type: 'Practitioner',
      identifier: { system: 'http://hl7.org/fhir/sid/us-npi', value: '1234567893' },
    })
  })

  it('that resubmits another points at its Task', () => {
    const task = toTask(
      base,
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
    expect(faultsOf(toTask(base, bare))).toEqual([])
    const response = toClaimResponse(base, bare, { previous: undefined, now })
    expect(response && faultsOf(response)).toEqual([])
    expect(reviewActionOf(response)).toBeUndefined()
  })

  it('of unknown status keeps the Task status that the chart has, unless it is a terminal one', () => {
    const unknown = samplePriorAuthorization({ status: 'paused_by_payer' })
    const keep = (status: Task['status']) =>
      toTask(base, unknown, { ...toTask(base, samplePriorAuthorization()), status }).status
    expect(keep('on-hold')).toBe('on-hold')
    expect(keep('requested')).toBe('requested')
    for (const terminal of ['completed', 'failed', 'rejected', 'cancelled'] as const) {
      expect(keep(terminal)).toBe('in-progress')
    }
  })

  it('of unknown status leaves the determination of the chart as it is', () => {
    const unknown = samplePriorAuthorization({ status: 'paused_by_payer' })
    expect(toClaimResponse(base, unknown, { previous: queuedBefore, now })).toBeUndefined()
  })

  it('when cancelled cancels the determination that the chart has, with review action C', () => {
    const response = toClaimResponse(base, samplePriorAuthorization({ status: 'cancelled' }), {
      previous: queuedBefore,
      now,
    })
    expect(response).toMatchObject({ status: 'cancelled', outcome: 'queued' })
    expect(reviewActionOf(response)).toBe('C')
    expect(response && faultsOf(response)).toEqual([])
  })

  it('when not submitted withdraws the determination that the chart has, since none will come', () => {
    const response = toClaimResponse(base, samplePriorAuthorization({ status: 'not_submitted' }), {
      previous: queuedBefore,
      now,
    })
    expect(response).toMatchObject({ status: 'cancelled' })
    expect(reviewActionOf(response)).toBeUndefined()
    expect(response && faultsOf(response)).toEqual([])
  })

  it('keeps the date on which the determination was first written', () => {
    const later = toClaimResponse(base, samplePriorAuthorization({ status: 'failed' }), {
      previous: queuedBefore,
      now: '2027-01-01T00:00:00.000Z',
    })
    expect(later?.created).toBe(now)
  })

  it('leaves out the start of a period that would end before it starts', () => {
    const outcome = {
      result: 'Approved',
      authorization_start_date: '2027-01-01',
      authorization_expiration: '2026-01-01',
    }
    const response = toClaimResponse(base, samplePriorAuthorization({ status: 'completed', outcome }), {
      previous: undefined,
      now,
    })
    expect(response?.preAuthPeriod).toEqual({ end: '2026-01-01' })
    expect(response && faultsOf(response)).toEqual([])
  })
})
