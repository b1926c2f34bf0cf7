import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  type BenefitVerification,
  type BenefitVerificationChanges,
  defineHandler,
  type Message,
  type PriorAuthorization,
  type PriorAuthorizationChanges,
  type ProviderOutreach,
  type ProviderOutreachChanges,
} from '#pawl'
import { aPriorAuthorization } from '#pawl/testing'

/** `npm run check` compiles this file; the handlers never run. */
describe('handler types', () => {
  it('follow from the events of the handler', () => {
    defineHandler({
      name: 'pa',
      on: ['prior_authorization.message', 'prior_authorization.status_change'],
      async handle({ kind, resource, previous, changes, events }) {
        expectTypeOf(kind).toEqualTypeOf<'prior_authorization'>()
        expectTypeOf(resource).toEqualTypeOf<PriorAuthorization>()
        expectTypeOf(previous).toEqualTypeOf<PriorAuthorization | undefined>()
        expectTypeOf(changes.newMessages).toEqualTypeOf<readonly Message[]>()
        for (const { type } of events) {
          if (type === 'prior_authorization.message') continue
          // @ts-expect-error -- it does not follow this type
          if (type === 'prior_authorization.activity_log_updated') continue
          expectTypeOf(type).toEqualTypeOf<'prior_authorization.status_change'>()
        }
      },
    })
    defineHandler({
      name: 'status-alone',
      on: ['prior_authorization.status_change'],
      async handle({ kind, previous, changes, events }) {
        expectTypeOf(changes).toEqualTypeOf<PriorAuthorizationChanges>()
        for (const { type } of events) {
          expectTypeOf(type).toEqualTypeOf<'prior_authorization.status_change'>()
          // @ts-expect-error -- it follows no messages
          void (type === 'prior_authorization.message')
        }
        // @ts-expect-error -- it follows no BV
        void (kind === 'benefit_verification')
        // @ts-expect-error -- nothing tells how things stood before a first run
        void previous.status
        // @ts-expect-error -- what did not change is absent
        void changes.outcome.from
      },
    })
    defineHandler({
      name: 'attempts',
      on: ['prior_authorization.provider_outreach_change'],
      async handle({ kind, resource, previous, changes, events }) {
        expectTypeOf(kind).toEqualTypeOf<'provider_outreach'>()
        expectTypeOf(resource).toEqualTypeOf<ProviderOutreach>()
        expectTypeOf(previous).toEqualTypeOf<ProviderOutreach | undefined>()
        expectTypeOf(changes).toEqualTypeOf<ProviderOutreachChanges>()
        // @ts-expect-error -- an attempt has no outcome
        void changes.outcome
        for (const { type } of events)
          expectTypeOf(type).toEqualTypeOf<'prior_authorization.provider_outreach_change'>()
      },
    })
    defineHandler({
      name: 'bv',
      on: ['benefit_verification.status_change'],
      async handle({ changes, previous }) {
        // @ts-expect-error -- a BV has no message thread
        void changes.newMessages
        // @ts-expect-error -- nor an outcome
        void previous?.outcome?.result
      },
    })
    // @ts-expect-error -- there is no such event type
    defineHandler({ name: 'none', on: ['prior_authorization.created'], handle: () => Promise.resolve() })
  })

  it('of several event types are distinguished by their common kind', () => {
    defineHandler({
      name: 'both',
      on: ['prior_authorization.status_change', 'benefit_verification.status_change'],
      async handle({ kind, resource, previous, changes, events, ehr }) {
        // @ts-expect-error -- which of both it is, the kind tells
        void resource.outcome?.result
        if (kind === 'prior_authorization') {
          expectTypeOf(resource).toEqualTypeOf<PriorAuthorization>()
          expectTypeOf(previous).toEqualTypeOf<PriorAuthorization | undefined>()
          expectTypeOf(changes).toEqualTypeOf<PriorAuthorizationChanges>()
          for (const { type } of events) expectTypeOf(type).toEqualTypeOf<'prior_authorization.status_change'>()
          await ehr.putPriorAuthorization(resource)
        } else {
          expectTypeOf(kind).toEqualTypeOf<'benefit_verification'>()
          expectTypeOf(resource).toEqualTypeOf<BenefitVerification>()
          expectTypeOf(previous).toEqualTypeOf<BenefitVerification | undefined>()
          expectTypeOf(changes).toEqualTypeOf<BenefitVerificationChanges>()
          for (const { type } of events) expectTypeOf(type).toEqualTypeOf<'benefit_verification.status_change'>()
          await ehr.putBenefitVerification(resource)
        }
        // @ts-expect-error -- it is on no event of this kind
        void (kind === 'provider_outreach')
      },
    })
  })

  it('reject misspelt values in comparisons', () => {
    defineHandler({
      name: 'compares',
      on: ['prior_authorization.status_change'],
      async handle({ resource, previous, changes }) {
        void (resource.status === 'completed')
        // @ts-expect-error -- it is completed
        void (resource.status === 'complete')
        // As docs/handlers.md warns, words of an array are not checked.
        void ['complete'].includes(resource.status)
        // @ts-expect-error -- it is completed
        void (previous?.status !== 'complete')
        // @ts-expect-error -- it is completed
        void (changes.status?.to === 'complete')
        // @ts-expect-error -- it is Denied
        void (resource.outcome?.result === 'denied')
        // @ts-expect-error -- it is more_information_required
        void (changes.outcome?.to?.detail_code === 'more_info_required')
        // @ts-expect-error -- it is cancelled
        void (resource.prescription_transfer?.status === 'canceled')
        switch (resource.status) {
          case 'completed':
            break
          // @ts-expect-error -- it is not_submitted
          case 'not-submitted':
            break
          default:
        }
      },
    })
    defineHandler({
      name: 'compares-of-benefits',
      on: ['benefit_verification.status_change'],
      async handle({ resource, changes }) {
        // @ts-expect-error -- it is cancelled
        void (changes.status?.from === 'canceled')
        // @ts-expect-error -- this status is one of a PA
        void (resource.status === 'awaiting_review')
        for (const drug of resource.drugs ?? []) {
          // @ts-expect-error -- it is not_covered
          void (drug.coverage === 'uncovered')
        }
      },
    })
  })

  it('reject ten mistakes of a newcomer', () => {
    defineHandler({
      name: 'newcomer',
      on: ['prior_authorization.status_change'],
      async handle({ resource, changes, events, ehr, api, log, settings }) {
        // @ts-expect-error -- 1: a misspelt field, which is outcome
        void resource.outcom
        // @ts-expect-error -- 2: a field in the spelling of JavaScript, which is prescription_transfer
        void resource.prescriptionTransfer
        // @ts-expect-error -- 3: a field of another kind of resource
        void resource.drugs
        // @ts-expect-error -- 4: a misspelt field within a field, which is detail_code
        void resource.outcome?.code
        // @ts-expect-error -- 5: a field that may be absent
        void resource.outcome.result
        // @ts-expect-error -- 6: a resource is not changed here, but by a call of the service
        resource.status = 'cancelled'
        // @ts-expect-error -- 7: nor at any depth, as sort would: toSorted makes a new list
        resource.message_thread?.messages?.sort()
        // @ts-expect-error -- 8: a misspelt value, which is Approved
        void (resource.outcome?.result === 'approved')
        // @ts-expect-error -- 9: a PA where a BV belongs
        await ehr.putBenefitVerification(resource)
        // @ts-expect-error -- 10: a log field that could hold text about a patient
        log.info({ name: resource.patient?.last_name }, 'handled')

        // @ts-expect-error -- and alike: a misspelt method of a system
        await ehr.putPriorAuthorisation(resource)
        // @ts-expect-error -- a misspelt method of the service
        await api.getPriorAuthorisation(resource.id)
        // @ts-expect-error -- a misspelt field of a request
        await api.sendFeedback(resource.id, { category: 'denial', text: 'Please send the letter.' })
        // @ts-expect-error -- a misspelt setting
        void settings.RETENTION_DAY
        // @ts-expect-error -- a field of a message, which is content
        void changes.newMessages[0]?.text
        // @ts-expect-error -- an event is a hint, without data
        void events[0]?.data
        // @ts-expect-error -- an undocumented field has any type: look first
        void resource.unknownFields?.added_later.length
      },
    })
    // @ts-expect-error -- a handler is asynchronous
    defineHandler({ name: 'sync', on: ['prior_authorization.status_change'], handle() {} })
    // @ts-expect-error -- a builder takes documented fields alone, and unknownFields
    aPriorAuthorization({ added_later: true })
    // @ts-expect-error -- at any depth
    aPriorAuthorization({ outcome: { code: 'plan_exclusion' } })
  })

  it('keep undocumented fields readable under one name', () => {
    const { unknownFields, patient } = aPriorAuthorization({
      unknownFields: { added_later: true },
      patient: { unknownFields: { nickname: 'Ex' } },
    })
    expectTypeOf(unknownFields?.added_later).toEqualTypeOf<unknown>()
    expect([unknownFields, patient?.unknownFields]).toEqual([{ added_later: true }, { nickname: 'Ex' }])
  })

  it('keep future values of the service readable as text', () => {
    defineHandler({
      name: 'reads',
      on: ['prior_authorization.status_change'],
      async handle({ resource, log }) {
        const status: string = resource.status
        log.info({ status: resource.status }, 'read')
        void (status === 'added_later')
        void ['completed', 'added_later'].includes(resource.status)
        void `${resource.status.toUpperCase()}, ${resource.outcome?.result ?? 'none'}`
        switch (resource.status) {
          case 'completed':
          case 'failed':
            expectTypeOf(resource.status).toEqualTypeOf<'completed' | 'failed'>()
            break
          default:
            expectTypeOf(resource.status).toExtend<string>()
        }
      },
    })
  })
})
