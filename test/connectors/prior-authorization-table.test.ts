import type { ClaimResponse, Task } from 'fhir/r4.js'
import { describe, expect, it } from 'vitest'
import { toClaimResponse } from '../../src/connectors/ehr/fhir/mapping/claim-response.ts'
import { toTask } from '../../src/connectors/ehr/fhir/mapping/task.ts'
import { faultsOf } from '../support/fhir-validators.ts'
import { reviewActionOf } from '../support/review-action.ts'
import { mappingContext } from '../support/mapping-context.ts'
import { samplePriorAuthorization } from '../support/samples.ts'

const context = mappingContext()
const { base } = context

type ReviewAction = 'A1' | 'A3' | 'A4' | 'C' | 'NA'

interface Row {
  status: string
  outcome?: Record<string, string>
  task: Task['status']
  reason?: string
  response?: {
    outcome: ClaimResponse['outcome']
    code?: ReviewAction
    disposition?: string
    note?: string
    period?: ClaimResponse['preAuthPeriod']
  }
}

const dates = { authorization_start_date: '2026-03-01', authorization_expiration: '2027-02-28' }
const period = { start: '2026-03-01', end: '2027-02-28' }
const detail = 'A sentence for people.'
const queued = { outcome: 'queued' } as const
const pended = { outcome: 'queued', code: 'A4' } as const

const rows: Row[] = [
  { status: 'created', task: 'requested' },
  { status: 'processing', task: 'in-progress', response: queued },
  { status: 'awaiting_outcome', task: 'in-progress', response: pended },
  { status: 'awaiting_review', task: 'on-hold', response: queued },
  { status: 'awaiting_provider_response', task: 'on-hold', response: queued },
  {
    status: 'validating_outcome',
    outcome: { result: 'Denied', detail_code: 'plan_exclusion', detail },
    task: 'in-progress',
    response: pended,
  },
  {
    status: 'completed',
    outcome: { result: 'Approved', detail_code: 'approval', detail, ...dates },
    task: 'completed',
    response: { outcome: 'complete', code: 'A1', disposition: 'Approved', note: detail, period },
  },
  {
    status: 'completed',
    outcome: { result: 'Approval', detail_code: 'existing_approval', ...dates },
    task: 'completed',
    response: { outcome: 'complete', code: 'A1', disposition: 'Approved', period },
  },
  {
    status: 'completed',
    outcome: { result: 'Approved', detail_code: 'approval', authorization_expiration: '2027-02-28' },
    task: 'completed',
    response: { outcome: 'complete', code: 'A1', disposition: 'Approved', period: { end: '2027-02-28' } },
  },
  {
    status: 'completed',
    outcome: { result: 'Approved', detail_code: 'prior_auth_not_required', ...dates },
    task: 'completed',
    response: { outcome: 'complete', code: 'NA', disposition: 'Approved' },
  },
  {
    status: 'completed',
    outcome: { result: 'Denied', detail_code: 'plan_exclusion', detail, ...dates },
    task: 'completed',
    response: { outcome: 'complete', code: 'A3', disposition: 'Denied', note: detail },
  },
  {
    status: 'completed',
    outcome: { result: 'Other', detail_code: 'prior_auth_not_required' },
    task: 'completed',
    response: { outcome: 'complete', code: 'NA', disposition: 'prior_auth_not_required' },
  },
  {
    status: 'completed',
    outcome: { result: 'Other', detail_code: 'duplicate_request' },
    task: 'completed',
    response: { outcome: 'complete', disposition: 'duplicate_request' },
  },
  {
    status: 'completed',
    outcome: { result: 'Pending' },
    task: 'completed',
    response: { outcome: 'complete' },
  },
  { status: 'failed', outcome: { result: 'Pending' }, task: 'failed', response: { outcome: 'error' } },
  {
    status: 'completed',
    outcome: { result: 'Partly Approved', detail_code: 'new_code' },
    task: 'completed',
    response: { outcome: 'complete', disposition: 'Partly Approved' },
  },
  {
    status: 'failed',
    outcome: { result: 'Other', detail_code: 'other' },
    task: 'failed',
    reason: 'other',
    response: { outcome: 'error', disposition: 'Other' },
  },
  {
    status: 'not_submitted',
    outcome: { result: 'Not Submitted', detail_code: 'pbm_excluded' },
    task: 'rejected',
    reason: 'pbm_excluded',
  },
  { status: 'cancelled', task: 'cancelled' },
  { status: 'paused_by_payer', outcome: { result: 'Approved', detail_code: 'approval' }, task: 'in-progress' },
]

describe('a prior authorization', () => {
  for (const { status, outcome, task: taskStatus, reason, response: wanted } of rows) {
    const said = [status, outcome?.result, outcome?.detail_code].filter(Boolean).join(', ')

    it(`${said}: becomes a valid Task that is ${taskStatus}`, () => {
      const task = toTask(context, samplePriorAuthorization({ status, outcome }))
      expect(faultsOf(task)).toEqual([])
      expect(task).toMatchObject({ status: taskStatus, businessStatus: { text: status }, intent: 'order' })
      expect(task.statusReason?.text).toBe(reason)
      expect(task.identifier).toEqual([{ system: `${base}/prior-authorization`, value: 'pa_req_1' }])
    })

    it(`${said}: becomes ${wanted === undefined ? 'no ClaimResponse' : `a valid ClaimResponse that is ${wanted.outcome}`}`, () => {
      const response = toClaimResponse(context, samplePriorAuthorization({ status, outcome }))
      expect(response?.outcome).toBe(wanted?.outcome)
      expect(reviewActionOf(response)).toBe(wanted?.code)
      expect(response?.disposition).toBe(wanted?.disposition)
      expect(response?.processNote).toEqual(wanted?.note === undefined ? undefined : [{ text: wanted.note }])
      expect(response?.preAuthPeriod).toEqual(wanted?.period)
      if (response === undefined) return
      expect(faultsOf(response)).toEqual([])
      expect(response).toMatchObject({
        status: 'active',
        use: 'preauthorization',
        insurer: { display: 'Sample Payer' },
      })
      expect(response.preAuthRef).toBeUndefined()
      expect(response.meta?.profile).toBeUndefined()
    })
  }
})
