import { describe, expect, it } from 'vitest'
import { toCommunication } from '../../src/connectors/ehr/fhir/mapping/communication.ts'
import { toClosedStaffTask, toOpenStaffTask } from '../../src/connectors/ehr/fhir/mapping/staff-task.ts'
import { Message } from '../../src/resources/prior-authorization.ts'
import { faultsOf } from '../support/fhir-validators.ts'
import { sampleMessage, samplePriorAuthorization } from '../support/samples.ts'

const base = 'https://clinic.example/id'

describe('a message', () => {
  for (const [direction, sender, recipient] of [
    ['sent', 'Sample Agent', [{ display: 'Service team' }]],
    ['received', 'Sample Agent', [{ display: 'Client team' }]],
    ['overheard', 'Sample Agent', undefined],
  ] as const) {
    it(`${direction}: becomes a valid Communication with its parties`, () => {
      const message = Message.parse(sampleMessage({ direction }))
      const communication = toCommunication(base, samplePriorAuthorization(), message)
      expect(faultsOf(communication)).toEqual([])
      expect(communication).toMatchObject({
        identifier: [{ system: `${base}/prior-authorization-message`, value: 'pa_req_1/msg_1' }],
        partOf: [{ identifier: { value: 'pa_req_1' } }],
        status: 'completed',
        sent: '2026-03-01T09:00:00.000Z',
        sender: { display: sender },
        payload: [{ contentString: 'Please add the last lab result.' }],
      })
      expect(communication.recipient).toEqual(recipient)
    })
  }

  it('leaves its attachments out, whose addresses soon die', () => {
    const message = Message.parse(sampleMessage())
    expect(JSON.stringify(toCommunication(base, samplePriorAuthorization(), message))).not.toContain('files.example')
  })

  it('without text, time or name is still valid', () => {
    const message = Message.parse({ id: 'msg_2', content: ' ' })
    expect(faultsOf(toCommunication(base, samplePriorAuthorization(), message))).toEqual([])
  })
})

describe('a staff task', () => {
  const waiting = samplePriorAuthorization({ status: 'awaiting_review' })
  const open = toOpenStaffTask(base, waiting, 'awaiting_review')

  it('is requested, names its reason and points at the PA', () => {
    expect(faultsOf(open)).toEqual([])
    const priorAuthorization = { identifier: { system: `${base}/prior-authorization`, value: 'pa_req_1' } }
    expect(open).toMatchObject({
      identifier: [{ system: `${base}/prior-authorization-staff-task`, value: 'pa_req_1' }],
      status: 'requested',
      code: { text: 'awaiting_review' },
      businessStatus: { text: 'awaiting_review' },
      partOf: [priorAuthorization],
      focus: priorAuthorization,
    })
  })

  it('that the staff took or finished stays as they left it', () => {
    const taken = { ...open, status: 'in-progress' } as const
    expect(toOpenStaffTask(base, waiting, 'awaiting_review', taken)).toEqual(taken)
    const finished = { ...open, status: 'completed' } as const
    expect(toOpenStaffTask(base, waiting, 'awaiting_review', finished)).toEqual(finished)
  })

  it('is opened again for another reason, and for the same one after it was closed', () => {
    expect(toOpenStaffTask(base, waiting, 'awaiting_provider_response', open)).toMatchObject({
      status: 'requested',
      businessStatus: { text: 'awaiting_provider_response' },
    })
    expect(toOpenStaffTask(base, waiting, 'awaiting_review', toClosedStaffTask(open))).toEqual(open)
  })

  it('is closed only if there is one', () => {
    expect(toClosedStaffTask(undefined)).toBeUndefined()
    const closed = toClosedStaffTask(open)
    expect(closed?.status).toBe('completed')
    expect(closed && faultsOf(closed)).toEqual([])
  })
})
