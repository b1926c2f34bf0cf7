import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSameState } from '../../../client/src/schemas/same-state.ts'
import { evenDetours, startSandbox } from '../play.ts'
import { benefitVerification, ndpSubmission, priorAuthorization } from '../requests.ts'
import { Refusal } from '../../src/platform/refusal.ts'
import {
  type PriorAuthorizationResource,
  terminalPriorAuthorizationStatuses,
} from '../../../client/src/schemas/prior-authorization.ts'
import { benefitVerificationRows } from '../../src/benefit-verification/states.ts'
import { priorAuthorizationRows } from '../../src/prior-authorization/states.ts'
import { prescriptionTransferRows } from '../../src/prior-authorization/transfer-states.ts'
import { providerOutreachRows } from '../../src/provider-outreach/states.ts'
import type { ProviderOutreachResource } from '../../../client/src/schemas/provider-outreach.ts'
import type { Sandbox } from '../../src/sandbox.ts'
import { eventTypes } from '../../src/webhooks/settings.ts'

type Act = (sandbox: Sandbox, id: string) => unknown
/** Pushes to any state of the table. */
const push = (
  rows: readonly { from: string; to: string }[],
  act: (sandbox: Sandbox, id: string, state: string) => unknown,
) =>
  fc
    .constantFrom(...new Set(rows.flatMap(({ from, to }) => [from, to])))
    .map((state) => Object.assign<Act, object>((sandbox, id) => act(sandbox, id, state), said(state)))
/** Name that fast-check prints for an act of a failed walk. */
const said = (name: string) => ({ [fc.toStringMethod]: () => name })
const always = (name: string, act: Act) => fc.constant(Object.assign(act, said(name)))

const anyAct = fc.oneof(
  { weight: 8, arbitrary: always('step', ({ controls }) => controls.step()) },
  { weight: 4, arbitrary: push(priorAuthorizationRows, ({ controls }, id, status) => controls.push(id, status)) },
  {
    weight: 3,
    arbitrary: push(prescriptionTransferRows, ({ controls }, id, state) => controls.pushTransfer(id, state)),
  },
  {
    weight: 3,
    arbitrary: push(providerOutreachRows, ({ controls }, id, state) =>
      controls.outreach(id).map((one) => attempt(() => controls.push(one.id, state))),
    ),
  },
  { weight: 1, arbitrary: always('cancel', ({ controls }, id) => controls.cancel(id)) },
  { weight: 1, arbitrary: always('review', ({ controls }, id) => controls.review(id)) },
  { weight: 1, arbitrary: always('message', ({ controls }, id) => controls.addMessage(id, { content: 'Hello' })) },
  {
    weight: 1,
    arbitrary: always('activity', ({ controls }, id) => controls.addActivity(id, { type: 'received_fax' })),
  },
  { weight: 1, arbitrary: always('benefits check', ({ controls }, id) => controls.pushBenefitsCheck(id)) },
)

/** Does what is legal; what is not must be refused as such. */
function attempt(act: () => unknown): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}

const isTerminal = (status: string) => terminalPriorAuthorizationStatuses.includes(status)
const legalMoves = new Set(priorAuthorizationRows.map(({ from, to }) => `${from} ${to}`))

function begins<T>(now: readonly T[] = [], before: readonly T[] = []): void {
  expect(now.slice(0, before.length)).toEqual(before)
}

/** Invariants between one reading of a PA and the next. */
function holdPriorAuthorization(before: PriorAuthorizationResource, now: PriorAuthorizationResource): void {
  if (before.status !== now.status) expect(legalMoves).toContain(`${before.status} ${now.status}`)
  if (isTerminal(before.status)) expect([now.status, now.outcome]).toEqual([before.status, before.outcome])
  if (now.outcome.authorization_expiration !== undefined) expect(now.outcome.result).toMatch(/^(Approved|Approval)$/)
  begins(now.prescription_transfer?.transfer_attempts, before.prescription_transfer?.transfer_attempts)
  begins(now.prescription_transfer?.confirmation_attempts, before.prescription_transfer?.confirmation_attempts)
  begins(now.message_thread.messages, before.message_thread.messages)
  begins(now.activity_log, before.activity_log)
  const transfer = before.prescription_transfer
  if (transfer !== null && ['completed', 'error', 'cancelled'].includes(transfer.status))
    expect(now.prescription_transfer).toEqual(transfer)
  if (now.prescription_transfer !== null) expect(now.status).toBe('completed')
  if (before.real_time_benefits_check_response !== null) expect(now.real_time_benefits_check_response).not.toBeNull()
}

function holdOutreach(before: ProviderOutreachResource[], now: ProviderOutreachResource[]): void {
  before.forEach((attempt, index) => {
    const later = now[index]
    expect(later?.id).toBe(attempt.id)
    if (attempt.transmission !== null) expect(isSameState(later?.transmission, attempt.transmission)).toBe(true)
    if (['responded', 'expired', 'failed', 'cancelled'].includes(attempt.state))
      expect(later?.state).toBe(attempt.state)
    if (attempt.outreach_sequence_state !== 'in_progress')
      expect(later?.outreach_sequence_state).toBe(attempt.outreach_sequence_state)
  })
}

/** A sandbox whose webhook hears everything and is always answered. */
const listening = (seed: number, workflow: 'delegated' | 'non_delegated' = 'delegated') => ({
  seed,
  detours: evenDetours,
  fetch: async () => new Response(),
  organizations: [
    {
      id: 'org_p',
      pharmacy: true,
      workflow,
      webhooks: [{ name: 'all', url: 'http://127.0.0.1:1', secret: 's', events: eventTypes }],
    },
  ],
})

/** Delivered states of one resource, in order. */
function told(sandbox: Sandbox, eventType: (typeof eventTypes)[number], resourceId: string): { status: string }[] {
  return sandbox.controls.deliveries({ eventType, resourceId }).map(({ body }) => JSON.parse(body).data)
}

const clone = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

describe('any walk', () => {
  it('of a PA keeps its invariants', async () => {
    const { mock_result: _, ...unmocked } = priorAuthorization()
    const provider = { ...unmocked.provider, fax: '555-0100' }
    const requests = fc.constantFrom(
      priorAuthorization({ ndp_submission: ndpSubmission, trigger_benefit_verification: { enabled: true } }),
      { ...unmocked, ndp_submission: ndpSubmission },
      { ...unmocked, provider, provider_outreach: { enabled: true }, trigger_benefit_verification: { enabled: true } },
    )
    const workflows = fc.constantFrom('delegated' as const, 'non_delegated' as const)
    const walks = fc.array(anyAct, { maxLength: 40, size: 'max' })
    await fc.assert(
      fc.asyncProperty(requests, workflows, fc.nat(), walks, async (request, workflow, seed, walk) => {
        const { sandbox, create } = await startSandbox(listening(seed, workflow))
        const id = await create('/prior-authorization', request)
        const read = () => {
          // The compiler cannot see that the truth is made of the sandbox's own resources.
          const [resource] = sandbox.truth().prior_authorizations as unknown as PriorAuthorizationResource[]
          return clone({ resource: resource as PriorAuthorizationResource, outreach: sandbox.controls.outreach(id) })
        }
        let before = read()
        for (const act of walk) {
          attempt(() => act(sandbox, id))
          const now = read()
          holdPriorAuthorization(before.resource, now.resource)
          holdOutreach(before.outreach, now.outreach)
          before = now
        }
        const heard = told(sandbox, 'prior_authorization.status_change', id)
        expect(heard.filter(({ status }) => isTerminal(status)).length).toBe(isTerminal(before.resource.status) ? 1 : 0)
        expect(heard.at(-1)?.status).toBe(before.resource.status)
        heard.reduce((one, next) => {
          expect(legalMoves).toContain(`${one.status} ${next.status}`)
          return next
        })
        await sandbox.close()
      }),
      { numRuns: 100 },
    )
  })

  it('of a BV reports its end once, and a cancellation never', async () => {
    const acts = fc.oneof(
      always('step', ({ controls }) => controls.step()),
      always('cancel', ({ controls }, id) => controls.cancel(id)),
      push(benefitVerificationRows, ({ controls }, id, status) => controls.push(id, status)),
    )
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(acts, { maxLength: 8 }), async (seed, walk) => {
        const { sandbox, create, read } = await startSandbox(listening(seed))
        const id = await create('/benefit-verification', benefitVerification())
        let before = 'pending'
        for (const act of walk) {
          attempt(() => act(sandbox, id))
          const { status } = await read(`/benefit-verification/${id}`)
          expect(['pending', 'completed', 'failed', 'cancelled']).toContain(status)
          if (before !== 'pending') expect(status).toBe(before)
          before = status
        }
        const heard = told(sandbox, 'benefit_verification.status_change', id)
        const isTold = before === 'completed' || before === 'failed'
        expect(heard.map(({ status }) => status)).toEqual(isTold ? [before] : [])
        await sandbox.close()
      }),
      { numRuns: 60 },
    )
  })
})
