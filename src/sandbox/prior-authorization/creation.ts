import type { PriorAuthorizationRequest } from '../../resources/requests/prior-authorization.ts'
import type { BenefitVerifications } from '../benefit-verification/benefit-verifications.ts'
import type { Core } from '../core.ts'
import { checkCards } from '../files/check-cards.ts'
import type { Download } from '../files/download.ts'
import { takeEvidence } from '../files/take-evidence.ts'
import type { Organization } from '../organizations.ts'
import type { ProviderOutreaches } from '../provider-outreach/provider-outreaches.ts'
import type { InitialOutreach } from '../provider-outreach/resource.ts'
import type { PriorAuthorizationRecord } from '../records.ts'
import { checkCreation } from './creation-rules.ts'
import { planPriorAuthorization } from './plan.ts'
import { linkPrescriptionMessage } from './prescription-message.ts'
import { newPriorAuthorization } from './resource.ts'
import { mockedCases, triggeredRequest } from './triggered-verification.ts'

type Record_ = PriorAuthorizationRecord

/** What a creation is answered with; `provider_outreach` where it was asked for (specification, Endpoint rules). */
export interface CreatedPriorAuthorization {
  id: string
  provider_outreach?: InitialOutreach
}

/** Makes what creates a PA: files first, then the rules, then the PA with all that begins with it. `begin` starts its machines. */
export function priorAuthorizationCreation(deps: {
  core: Core
  benefitVerifications: Pick<BenefitVerifications, 'createTriggered'>
  outreaches: Pick<ProviderOutreaches, 'start'>
  download: Download
  isActiveNpi: (npi: string) => boolean
  isAuthorized: (organization: Organization, npi: string) => boolean
  begin: (record: Record_) => void
}) {
  const { core, download, isActiveNpi, isAuthorized } = deps
  const { store, clock, random } = core

  /** Training data is kept, but nothing is done with it (specification, Prior authorization create request). */
  function triggerVerification(record: Record_, organization: Organization, request: PriorAuthorizationRequest): void {
    const verification = triggeredRequest(request)
    if (verification === undefined || !record.plan.isProcessed) return
    const { id } = deps.benefitVerifications.createTriggered(organization, verification, {
      priorAuthorizationId: record.id,
      cases: mockedCases(request, verification.drugs),
    })
    record.resource.triggered_benefit_verification_id = id
    record.plan.awaitsVerification = true
  }

  function startOutreach(record: Record_, request: PriorAuthorizationRequest): InitialOutreach | undefined {
    if (request.provider_outreach?.enabled !== true) return undefined
    if (record.plan.isProcessed) return deps.outreaches.start(record)
    return { outreach_sequence_id: null, state: 'not_started', attempts: [] }
  }

  return async (organization: Organization, request: PriorAuthorizationRequest): Promise<CreatedPriorAuthorization> => {
    await checkCards(request.insurance, 'other')
    const evidenceTypes = await takeEvidence(request, download)
    checkCreation({
      request,
      organization,
      store,
      now: clock.now(),
      isActiveNpi,
      isAuthorized: (npi) => isAuthorized(organization, npi),
    })
    const id = `pa_req_${random.letters(20)}`
    const record: Record_ = {
      kind: 'prior_authorization',
      id,
      organization: organization.id,
      resource: newPriorAuthorization(id, request, evidenceTypes, random),
      plan: planPriorAuthorization(request, organization, core, random.fork(id)),
      progress: { state: 'created', visited: [] },
      createdAt: clock.now(),
      feedback: [],
    }
    if (record.plan.isProcessed && record.resource.ndp_submission !== null)
      record.benefitsCheck = { state: 'waiting', visited: [] }
    triggerVerification(record, organization, request)
    store.save(record)
    linkPrescriptionMessage(store, record)
    deps.begin(record)
    const outreach = startOutreach(record, request)
    return outreach === undefined ? { id } : { id, provider_outreach: outreach }
  }
}
