import type { Task } from 'fhir/r4.js'
import { describe, expect, it } from 'vitest'
import { toTask } from '../../src/connectors/ehr/fhir/mapping/task.ts'
import { fullPriorAuthorization } from '../support/full-samples.ts'
import { mappingContext } from '../support/mapping-context.ts'
import { samplePriorAuthorization } from '../support/samples.ts'

const context = mappingContext()
const detailSystem = `${context.base}/CodeSystem/detail-code`

const outputs = (task: Task) => (task.output ?? []).map(({ type, ...value }) => [type.text, Object.values(value)[0]])
const inputs = (task: Task) => (task.input ?? []).map(({ type, ...value }) => [type.text, Object.values(value)[0]])

describe('the Task of a prior authorization', () => {
  it('says what was asked for', () => {
    const task = toTask(context, fullPriorAuthorization())
    expect(task.description).toBe("Exampline 10 mg tablet (NDC 0000-0000-01), quantity 30 tablets, 28 days' supply")
    expect(inputs(task)).toEqual([
      [
        'Drug',
        {
          coding: [{ system: 'http://hl7.org/fhir/sid/ndc', code: '00000000001' }],
          text: 'Exampline 10 mg tablet (NDC 0000-0000-01)',
        },
      ],
      ['Diagnosis', { coding: [{ system: 'http://hl7.org/fhir/sid/icd-10-cm', code: 'E11.9' }], text: 'E11.9' }],
      ['Diagnosis', { coding: [{ system: 'http://hl7.org/fhir/sid/icd-10-cm', code: 'I10' }], text: 'I10' }],
      ['Appeal', true],
      ['Reason for the quantity limit exception', 'Two doses a day'],
    ])
  })

  it('names a drug whose NDC has ten digits without hyphens by its words alone', () => {
    const task = toTask(context, samplePriorAuthorization({ prescription: { ndc: '1234567890' } }))
    expect(inputs(task)[0]).toEqual(['Drug', { text: 'NDC 1234567890' }])
  })

  it('alone says that it was denied, and why', () => {
    expect(outputs(toTask(context, fullPriorAuthorization()))).toEqual([
      ['Result', 'Denied'],
      [
        'Reason',
        {
          coding: [{ system: detailSystem, code: 'step_therapy_criteria_not_met' }],
          text: 'Placebomycin has to be tried first.',
        },
      ],
      ['Client code', 'CC-12'],
      ['Denial category', 'step_therapy'],
      ['Denial explanation', 'No trial of Placebomycin is on record.'],
      ['Next steps', 'Appeal the denial. A letter of medical necessity can say why it was not tried.'],
    ])
  })

  it('alone says that it was approved, and how long that holds', () => {
    const outcome = {
      result: 'Approval',
      detail_code: 'approval',
      authorization_start_date: '2026-03-01',
      authorization_expiration: '2027-02-28',
    }
    expect(outputs(toTask(context, fullPriorAuthorization({ outcome })))).toEqual([
      ['Result', 'Approved'],
      ['Reason', { coding: [{ system: detailSystem, code: 'approval' }], text: 'approval' }],
      ['Authorized period', { start: '2026-03-01', end: '2027-02-28' }],
    ])
  })

  it('tells no period where no authorization was needed', () => {
    const outcome = {
      result: 'Approved',
      detail_code: 'prior_auth_not_required',
      authorization_expiration: '2027-02-28',
    }
    expect(outputs(toTask(context, fullPriorAuthorization({ outcome }))).map(([label]) => label)).toEqual([
      'Result',
      'Reason',
    ])
  })

  for (const status of [
    'created',
    'processing',
    'awaiting_outcome',
    'awaiting_review',
    'awaiting_provider_response',
    'validating_outcome',
    'paused_by_payer',
    'cancelled',
  ]) {
    it(`${status}: publishes no outcome`, () => {
      expect(toTask(context, fullPriorAuthorization({ status })).output).toBeUndefined()
    })
  }

  it('completed with a placeholder for an outcome publishes none', () => {
    const outcome = { result: 'Pending', detail: null, detail_code: null }
    expect(toTask(context, fullPriorAuthorization({ outcome })).output).toBeUndefined()
  })

  it('says why it failed or was not submitted, as a code', () => {
    for (const status of ['failed', 'not_submitted']) {
      const outcome = { result: 'Other', detail_code: 'more_information_required' }
      expect(toTask(context, fullPriorAuthorization({ status, outcome })).statusReason).toEqual({
        coding: [{ system: detailSystem, code: 'more_information_required' }],
        text: 'more_information_required',
      })
    }
  })

  for (const [priority, wanted] of [
    [0, 'stat'],
    [1, 'urgent'],
    [2, 'routine'],
    [3, 'routine'],
    [9, undefined],
    [null, undefined],
  ]) {
    it(`of priority ${priority} is ${wanted ?? 'of no stated priority'}`, () => {
      expect(toTask(context, samplePriorAuthorization({ priority })).priority).toBe(wanted)
    })
  }

  it('keeps the time at which it was first written, and tells the time of the change', () => {
    const first = toTask(context, samplePriorAuthorization())
    expect([first.authoredOn, first.lastModified]).toEqual([context.now, context.now])
    const later = toTask(mappingContext({ now: '2026-04-01T12:00:00.000Z' }), samplePriorAuthorization(), first)
    expect([later.authoredOn, later.lastModified]).toEqual([context.now, '2026-04-01T12:00:00.000Z'])
    const clockSetBack = toTask(mappingContext({ now: '2026-02-01T12:00:00.000Z' }), samplePriorAuthorization(), first)
    expect(clockSetBack.lastModified).toBe(context.now)
  })
})
