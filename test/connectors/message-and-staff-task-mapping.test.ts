import type { Task } from 'fhir/r4.js'
import { describe, expect, it } from 'vitest'
import type { StaffTask } from '../../src/connectors/ehr/ehr.ts'
import { merge, toContent } from '../../src/connectors/ehr/fhir/owned.ts'
import { toCommunication } from '../../src/connectors/ehr/fhir/mapping/communication.ts'
import { toEndedStaffTask, toStaffTask } from '../../src/connectors/ehr/fhir/mapping/staff-task.ts'
import { Message } from '../../src/service/schemas/prior-authorization.ts'
import { faultsOf } from '../support/fhir-validators.ts'
import { mappingContext } from '../support/mapping-context.ts'
import { sampleBenefitVerification, sampleMessage, samplePriorAuthorization } from '../support/samples.ts'

const context = mappingContext()
const { base } = context

/** The chart's Task after the wanted one is written over the held one. */
function merged(held: Task, wanted: Task): Task {
  const written: unknown = merge('Task', toContent(held), toContent(wanted))
  // The compiler cannot see that two Tasks make one.
  return written as Task
}

describe('a message', () => {
  for (const [direction, sender, recipient] of [
    ['sent', 'Sample Agent', [{ display: 'Service team' }]],
    ['received', 'Sample Agent', [{ display: 'Client team' }]],
    ['overheard', 'Sample Agent', undefined],
  ] as const) {
    it(`${direction}: becomes a valid Communication with its parties`, () => {
      const message = Message.parse(sampleMessage({ direction }))
      const communication = toCommunication(context, samplePriorAuthorization(), message)
      expect(faultsOf(communication)).toEqual([])
      expect(communication).toMatchObject({
        identifier: [{ system: `${base}/prior-authorization-message`, value: 'pa_req_1/msg_1' }],
        partOf: [{ identifier: { value: 'pa_req_1' } }],
        status: 'completed',
        subject: context.patient,
        sent: '2026-03-01T09:00:00.000Z',
        sender: { display: sender },
      })
      expect(communication.recipient).toEqual(recipient)
    })
  }

  it('of another PA with the same id is another Communication', () => {
    const message = Message.parse(sampleMessage())
    const other = toCommunication(context, samplePriorAuthorization({ id: 'pa_req_2' }), message)
    expect(other.identifier?.[0]?.value).toBe('pa_req_2/msg_1')
  })

  it('names its attachments, and leaves out their addresses, which soon die', () => {
    const communication = toCommunication(context, samplePriorAuthorization(), Message.parse(sampleMessage()))
    expect(communication.payload).toEqual([
      { contentString: 'Please add the last lab result.' },
      { contentString: 'Attachment: form.pdf' },
    ])
    expect(JSON.stringify(communication)).not.toContain('files.example')
  })

  it('that is nothing but an attachment says the name of the file', () => {
    const message = Message.parse(sampleMessage({ content: '' }))
    const communication = toCommunication(context, samplePriorAuthorization(), message)
    expect(communication.payload).toEqual([{ contentString: 'Attachment: form.pdf' }])
    expect(faultsOf(communication)).toEqual([])
  })

  it('points at the files that the chart holds of it', () => {
    const file = { reference: 'DocumentReference/9' }
    const communication = toCommunication(context, samplePriorAuthorization(), Message.parse(sampleMessage()), [file])
    expect(communication.payload?.at(-1)).toEqual({ contentReference: file })
    expect(faultsOf(communication)).toEqual([])
  })

  it('without text, time or name is still valid', () => {
    const message = Message.parse({ id: 'msg_2', content: ' ' })
    expect(faultsOf(toCommunication(context, samplePriorAuthorization(), message))).toEqual([])
  })
})

describe('a staff task', () => {
  const waiting = samplePriorAuthorization({ status: 'awaiting_review' })
  const review: StaffTask = {
    title: 'Review a prior authorization',
    reason: 'awaiting_review',
    instructions: 'Check the questions, then submit.',
    dueAt: '2026-03-05',
    owner: 'Practitioner/12',
  }
  const open = toStaffTask(context, waiting, review)

  it('tells what is to be done, with which drug, by when and by whom', () => {
    expect(faultsOf(open)).toEqual([])
    const priorAuthorization = { identifier: { system: `${base}/prior-authorization`, value: 'pa_req_1' } }
    expect(open).toMatchObject({
      identifier: [{ system: `${base}/prior-authorization-staff-task`, value: 'pa_req_1' }],
      status: 'requested',
      code: { text: 'Review a prior authorization' },
      businessStatus: { text: 'awaiting_review' },
      reasonCode: { text: 'awaiting_review' },
      description:
        "Review a prior authorization\nExampline 10 mg tablet, quantity 30, 30 days' supply\nCheck the questions, then submit.",
      partOf: [priorAuthorization],
      focus: priorAuthorization,
      for: context.patient,
      authoredOn: context.now,
      owner: { reference: 'Practitioner/12' },
      restriction: { period: { end: '2026-03-05' } },
      input: [{ type: { text: 'Drug' }, valueCodeableConcept: { text: 'Exampline 10 mg tablet' } }],
    })
  })

  it('names an owner that is no resource of the chart', () => {
    const task = toStaffTask(context, waiting, { ...review, owner: 'Front desk / PA team' })
    expect(task.owner).toEqual({ display: 'Front desk / PA team' })
    expect(faultsOf(task)).toEqual([])
  })

  it('of a benefit verification points at what that found', () => {
    for (const bv of [sampleBenefitVerification(), sampleBenefitVerification({ object: undefined })]) {
      const task = toStaffTask(context, bv, { title: 'Call the payer', reason: 'coverage_unclear' })
      expect(faultsOf(task)).toEqual([])
      expect(task).toMatchObject({
        identifier: [{ system: `${base}/benefit-verification-staff-task`, value: 'bv_1' }],
        focus: { type: 'CoverageEligibilityResponse', identifier: { value: 'bv_1' } },
        description: 'Call the payer\nExampline 10 mg',
      })
    }
  })

  it('with a key is one of several of its resource', () => {
    const task = toStaffTask(context, waiting, { ...review, key: 'appeal' })
    expect(task.identifier?.[0]?.value).toBe('pa_req_1/appeal')
  })

  it('keeps the status, note and owner that staff gave it, and takes on new instructions', () => {
    const taken: Task = {
      ...open,
      status: 'in-progress',
      businessStatus: { text: 'Called, waiting' },
      owner: { display: 'Nurse Example' },
      note: [{ text: 'Called twice.' }],
    }
    expect(merged(taken, toStaffTask(context, waiting, review, taken))).toEqual(taken)
    const others = { ...review, instructions: 'Submit today.' }
    const changed = merged(taken, toStaffTask(context, waiting, others, taken))
    expect(changed).toEqual({ ...taken, description: open.description?.replace(/[^\n]+$/, 'Submit today.') })
    expect(faultsOf(changed)).toEqual([])
  })

  it('that staff ended stays as they left it, even if the reason for it changes', () => {
    for (const status of ['completed', 'cancelled', 'rejected', 'failed', 'entered-in-error'] as const) {
      const ended = { ...open, status }
      expect(toStaffTask(context, waiting, { ...review, instructions: 'Other' }, ended)).toEqual(ended)
      expect(toEndedStaffTask(ended, 'cancelled')).toBeUndefined()
    }
  })

  it('opens again for another reason, and keeps the notes', () => {
    const note = [{ text: 'Called twice.' }]
    const later = mappingContext({ now: '2026-03-09T12:00:00.000Z' })
    const answer = { title: 'Answer the payer', reason: 'awaiting_provider_response' }
    for (const status of ['in-progress', 'completed'] as const) {
      const held: Task = { ...open, status, note, statusReason: { text: 'Done' } }
      const again = merged(held, toStaffTask(later, waiting, answer, held))
      expect(again).toMatchObject({
        status: 'requested',
        code: { text: 'Answer the payer' },
        businessStatus: { text: 'awaiting_provider_response' },
        reasonCode: { text: 'awaiting_provider_response' },
        authoredOn: '2026-03-09T12:00:00.000Z',
        note,
      })
      expect(again.statusReason).toBeUndefined()
      expect(faultsOf(again)).toEqual([])
    }
  })

  it('that pawl ended opens again for the same reason', () => {
    for (const ending of ['completed', 'cancelled'] as const) {
      const ended = toEndedStaffTask(open, ending)
      expect(ended).toMatchObject({ status: ending, businessStatus: { text: 'no_longer_needed' } })
      expect(ended && faultsOf(ended)).toEqual([])
      expect(ended && merged(ended, toStaffTask(context, waiting, review, ended))).toEqual(open)
      expect(ended && toEndedStaffTask(ended, 'cancelled')).toBeUndefined()
    }
  })

  it('in a chart that does not keep the reason is known by its business status', () => {
    const taken: Task = { ...open, status: 'in-progress', reasonCode: undefined }
    expect(toStaffTask(context, waiting, review, taken).status).toBe('in-progress')
  })
})
