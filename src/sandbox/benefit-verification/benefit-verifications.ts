import type {
  BenefitVerificationCase,
  BenefitVerificationRequest,
} from '../../resources/requests/benefit-verification.ts'
import type { Core } from '../core.ts'
import { checkCards } from '../files/check-cards.ts'
import { codedRefusal, notFound } from '../errors.ts'
import { createWalk } from '../machine/walk.ts'
import type { Organization } from '../organizations.ts'
import { chooseLegal } from '../push.ts'
import type { BenefitVerificationRecord } from '../records.ts'
import { refuseTriggered } from '../triggers.ts'
import { benefitVerificationMachine } from './machine.ts'
import { planBenefitVerification, unableToGather } from './plan.ts'
import { newBenefitVerification } from './resource.ts'

type Record_ = BenefitVerificationRecord

/** The PA that a BV is for, and what it decided the BV to find. */
interface Trigger {
  priorAuthorizationId: string
  cases: BenefitVerificationCase[] | undefined
}

/** What BVs have to do with the other nouns. */
interface Neighbours {
  /** Called with each BV that has ended, one way or another. */
  ended: (record: Record_) => void
  isAuthorized: (organization: Organization, npi: string) => boolean
}

/** All that can be done with BVs; refusals are as the specification has them (Endpoint rules, Errors). */
export type BenefitVerifications = ReturnType<typeof createBenefitVerifications>

/** Makes the BV part of the sandbox. */
export function createBenefitVerifications(core: Core, deps: Neighbours) {
  const { store, random } = core
  const find = (id: string) => store.find('benefit_verification', id)
  const walk = createWalk({ ...core, find, save: store.save, machine: benefitVerificationMachine(core, deps.ended) })

  function getOwn(id: string, organization: Organization): Record_ {
    return orNotFound(store.findOwn('benefit_verification', id, organization.id))
  }

  /** The BV that the new one replaces: it must be cancelled (supplement, BV). The answer to one that is not is not shown. */
  function replacedBy(request: BenefitVerificationRequest, organization: Organization): Record_ | undefined {
    if (request.replaces === undefined) return undefined
    const replaced = getOwn(request.replaces, organization)
    if (replaced.resource.status === 'cancelled') return replaced
    throw codedRefusal(400, {
      title: 'Not cancelled',
      description: 'Only a cancelled benefit verification can be replaced.',
      code: 'other',
    })
  }

  async function create(organization: Organization, request: BenefitVerificationRequest): Promise<Record_> {
    refuseTriggered('POST /benefit-verification', request.patient.internal_id)
    await checkCards(request.insurance, 'benefit_verification')
    const replaced = replacedBy(request, organization)
    const record = start(organization, request)
    if (replaced !== undefined) {
      replaced.resource.replaced_by = record.id
      store.save(replaced)
    }
    return record
  }

  /** A BV of the service's own making is no call of the client, so only its PA could have been refused. */
  function createTriggered(organization: Organization, request: BenefitVerificationRequest, by: Trigger): Record_ {
    return start(organization, request, by)
  }

  function start(organization: Organization, request: BenefitVerificationRequest, by?: Trigger): Record_ {
    const id = `bv_${random.letters(20)}`
    const record: Record_ = {
      kind: 'benefit_verification',
      id,
      organization: organization.id,
      resource: newBenefitVerification(id, request, random),
      plan: planBenefitVerification(request, random.fork(id), {
        isAuthorized:
          !organization.requiresProviderAuthorization || deps.isAuthorized(organization, request.provider.npi),
        cases: by?.cases,
      }),
      progress: { state: 'pending', visited: [] },
    }
    if (by !== undefined) record.resource.triggered_by_pa_id = by.priorAuthorizationId
    store.save(record)
    walk.start(record)
    return record
  }

  return {
    get: (id: string) => orNotFound(find(id)),
    getOwn,
    has: (id: string) => find(id) !== undefined,
    create,
    createTriggered,
    /** Stops the verification. One that has ended stays as it is: no refusal is shown for it. */
    cancel: (record: Record_): void => {
      if (walk.legal(record).includes('cancelled')) walk.move(record, 'cancelled')
    },
    push: (record: Record_, status: string): void => {
      const to = chooseLegal(record.progress.state, status, walk.legal(record))
      if (to === 'completed') record.plan.error = null
      if (to === 'failed') record.plan.error ??= unableToGather
      walk.move(record, to)
    },
    /** What the schedule runs, by machine. */
    fire: { benefit_verification: walk.fire },
  }
}

function orNotFound(record: Record_ | undefined): Record_ {
  if (record === undefined) throw notFound('Benefit verification')
  return record
}
