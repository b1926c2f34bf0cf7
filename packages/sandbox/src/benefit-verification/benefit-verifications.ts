import type { BenefitVerificationCase, BenefitVerificationRequest } from 'pawl-client/schemas/benefit-verification'
import type { Organization } from '../access/organizations.ts'
import { benefitVerificationMachine } from './machine.ts'
import { newBenefitVerification } from './new-resource.ts'
import type { BenefitVerificationPush } from './pushed-result.ts'
import type { BenefitVerificationRecord } from './record.ts'
import { decideBenefitVerification } from './script.ts'
import { scriptResult } from './script-result.ts'
import type { Platform } from '../platform.ts'
import { type ReadFile, readFiles } from '../files/request-files.ts'
import { chooseLegal } from '../platform/choose-legal.ts'
import { codedRefusal, notFound } from '../platform/refusal.ts'
import { refuseByTestValue } from '../platform/test-values.ts'
import { createWalk } from '../platform/walk.ts'

/** The PA that triggered a BV, and the cases that it decided. */
export interface TriggeringPriorAuthorization {
  priorAuthorizationId: string
  cases: BenefitVerificationCase[] | undefined
}

/** Dependencies on other kinds of resources. */
interface Deps {
  /** Called with each BV that reached a terminal status. */
  ended: (record: BenefitVerificationRecord) => void
  isAuthorized: (organization: Organization, npi: string) => boolean
}

/** All operations on BVs. They throw the documented refusals (specification, Endpoint rules, Errors). */
export type BenefitVerifications = ReturnType<typeof createBenefitVerifications>

export function createBenefitVerifications(platform: Platform, deps: Deps) {
  const { random, files } = platform
  const shelf = platform.store.shelf<BenefitVerificationRecord>('benefit_verification')
  const { find } = shelf
  const walk = createWalk({ ...platform, ...shelf, machine: benefitVerificationMachine(platform, deps.ended) })

  function getOwn(id: string, organization: Organization): BenefitVerificationRecord {
    return orNotFound(shelf.findOwn(id, organization.id))
  }

  /** The BV that the new one replaces. It must be cancelled (supplement, BV); the error otherwise is a choice. */
  function replacedBy(
    request: BenefitVerificationRequest,
    organization: Organization,
  ): BenefitVerificationRecord | undefined {
    if (request.replaces === undefined) return undefined
    const replaced = getOwn(request.replaces, organization)
    if (replaced.resource.status === 'cancelled') return replaced
    throw codedRefusal(400, {
      title: 'Not cancelled',
      description: 'Only a cancelled benefit verification can be replaced.',
      code: 'other',
    })
  }

  async function create(
    organization: Organization,
    request: BenefitVerificationRequest,
  ): Promise<BenefitVerificationRecord> {
    refuseByTestValue('POST /benefit-verification', request.patient.internal_id)
    const { cards } = await readFiles(request, { cardsOf: 'benefit_verification' })
    const replaced = replacedBy(request, organization)
    const record = start(organization, request, cards)
    if (replaced !== undefined) {
      replaced.resource.replaced_by = record.id
      shelf.save(replaced)
    }
    return record
  }

  /** Creates a BV on behalf of a PA. It is never refused, because the client did not request it. */
  function createTriggered(
    organization: Organization,
    request: BenefitVerificationRequest,
    cards: readonly ReadFile[],
    by: TriggeringPriorAuthorization,
  ): BenefitVerificationRecord {
    return start(organization, request, cards, by)
  }

  function start(
    organization: Organization,
    request: BenefitVerificationRequest,
    cards: readonly ReadFile[],
    by?: TriggeringPriorAuthorization,
  ): BenefitVerificationRecord {
    const id = `bv_${random.letters(20)}`
    const record: BenefitVerificationRecord = {
      kind: 'benefit_verification',
      id,
      organization: organization.id,
      resource: newBenefitVerification(id, request, random, cards),
      script: decideBenefitVerification(request, random.fork(id), {
        isAuthorized:
          !organization.requiresProviderAuthorization || deps.isAuthorized(organization, request.provider.npi),
        cases: by?.cases,
      }),
      progress: { state: 'pending', visited: [] },
    }
    files.keep(record, 'insurance', cards)
    if (by !== undefined) record.resource.triggered_by_pa_id = by.priorAuthorizationId
    shelf.save(record)
    walk.start(record)
    return record
  }

  return {
    get: (id: string) => orNotFound(find(id)),
    getOwn,
    has: (id: string) => find(id) !== undefined,
    create,
    createTriggered,
    /** Stops the verification. An ended BV stays unchanged, because no error is documented. */
    cancel: (record: BenefitVerificationRecord): void => {
      if (walk.legal(record).includes('cancelled')) walk.move(record, 'cancelled')
    },
    /** Moves on now; given results override the scripted ones. */
    push: (record: BenefitVerificationRecord, status: string, result: BenefitVerificationPush = {}): void => {
      const to = chooseLegal(record.progress.state, status, walk.legal(record))
      scriptResult(record.script, to, result)
      walk.move(record, to)
    },
    list: () => shelf.list().map(({ resource }) => resource),
    /** Runners of due transitions, by machine name. */
    runners: { benefit_verification: walk.runDue },
  }
}

function orNotFound(record: BenefitVerificationRecord | undefined): BenefitVerificationRecord {
  if (record === undefined) throw notFound('Benefit verification')
  return record
}
