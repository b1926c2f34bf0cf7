import type { PriorAuthorizationRequest } from 'pawl-client/schemas/prior-authorization-request'
import type { Organization } from '../access/organizations.ts'
import type { BenefitVerifications } from '../benefit-verification/benefit-verifications.ts'
import type { Platform } from '../platform.ts'
import { type ReadFile, readFiles, type ReadFileUrl } from '../files/request-files.ts'
import type { Shelf } from '../platform/store.ts'
import { newPriorAuthorization } from './new-resource.ts'
import { linkPrescriptionMessage } from './prescription-message.ts'
import type { PrescriptionMessageRecord, PriorAuthorizationRecord } from './record.ts'
import { checkCreation } from './rules/check-creation.ts'
import { decidePriorAuthorization } from './script.ts'
import { mockedCases, triggeredRequest } from './triggered-verification.ts'
import type { ProviderOutreaches } from '../provider-outreach/provider-outreaches.ts'
import type { InitialOutreach } from 'pawl-client/schemas/provider-outreach'

/** Answer to a creation; has `provider_outreach` if requested (specification, Endpoint rules). */
export interface CreatedPriorAuthorization {
  id: string
  provider_outreach?: InitialOutreach
}

/** Returns the function that creates a PA: it checks files, then rules, then stores the PA. `begin` starts its machines. */
export function priorAuthorizationCreation(deps: {
  platform: Platform
  shelf: Shelf<PriorAuthorizationRecord>
  benefitVerifications: Pick<BenefitVerifications, 'createTriggered'>
  outreaches: Pick<ProviderOutreaches, 'start'>
  readFileUrl: ReadFileUrl
  isActiveNpi: (npi: string) => boolean
  isAuthorized: (organization: Organization, npi: string) => boolean
  begin: (record: PriorAuthorizationRecord) => void
}) {
  const { platform, shelf, readFileUrl, isActiveNpi, isAuthorized } = deps
  const { clock, random, files } = platform
  const messages = platform.store.shelf<PrescriptionMessageRecord>('prescription_message')

  /** Triggers the requested BV. Training data is stored but not processed (specification, Prior authorization create request). */
  function triggerVerification(
    record: PriorAuthorizationRecord,
    organization: Organization,
    request: PriorAuthorizationRequest,
    cards: readonly ReadFile[],
  ): void {
    const verification = triggeredRequest(request)
    if (verification === undefined || !record.script.isProcessed) return
    const { id } = deps.benefitVerifications.createTriggered(organization, verification, cards, {
      priorAuthorizationId: record.id,
      cases: mockedCases(request, verification.drugs),
    })
    record.resource.triggered_benefit_verification_id = id
    record.script.awaitsVerification = true
  }

  function startOutreach(
    record: PriorAuthorizationRecord,
    request: PriorAuthorizationRequest,
  ): InitialOutreach | undefined {
    if (request.provider_outreach?.enabled !== true) return undefined
    if (record.script.isProcessed)
      return deps.outreaches.start({
        priorAuthorizationId: record.id,
        organization: record.organization,
        provider: record.resource.provider,
      })
    return { outreach_sequence_id: null, state: 'not_started', attempts: [] }
  }

  return async (organization: Organization, request: PriorAuthorizationRequest): Promise<CreatedPriorAuthorization> => {
    const read = await readFiles(request, { cardsOf: 'other', hasEvidence: true }, readFileUrl)
    checkCreation({
      request,
      organization,
      priorAuthorizations: shelf,
      prescriptionMessages: messages,
      now: clock.now(),
      wallMsUntil: clock.wallMsUntil,
      isActiveNpi,
      isAuthorized: (npi) => isAuthorized(organization, npi),
    })
    const id = `pa_req_${random.letters(20)}`
    const record: PriorAuthorizationRecord = {
      kind: 'prior_authorization',
      id,
      organization: organization.id,
      resource: newPriorAuthorization(id, request, read, random),
      script: decidePriorAuthorization(request, organization, platform, random.fork(id)),
      progress: { state: 'created', visited: [] },
      createdAt: clock.now(),
      feedback: [],
    }
    if (record.script.isProcessed && record.resource.ndp_submission !== null)
      record.benefitsCheck = { state: 'waiting', visited: [] }
    triggerVerification(record, organization, request, read.cards)
    files.keep(record, 'insurance', read.cards)
    files.keep(record, 'evidence', read.evidence)
    shelf.save(record)
    linkPrescriptionMessage(messages, record)
    deps.begin(record)
    const outreach = startOutreach(record, request)
    return outreach === undefined ? { id } : { id, provider_outreach: outreach }
  }
}
