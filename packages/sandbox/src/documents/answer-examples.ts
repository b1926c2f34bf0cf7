import * as requests from './request-examples.ts'
import { newBenefitVerification, statusDescriptions } from '../benefit-verification/new-resource.ts'
import { showResults } from '../benefit-verification/results.ts'
import { decideBenefitVerification } from '../benefit-verification/script.ts'
import { newClinicalQualification, showQualification } from '../clinical-qualification/new-resource.ts'
import { pathOfFile } from '../files/served-file.ts'
import { withAddresses } from '../files/signed-files.ts'
import { createRandom } from '../platform/random.ts'
import { newPriorAuthorization } from '../prior-authorization/new-resource.ts'
import { outcomeOf } from '../prior-authorization/pa-verdict.ts'
import type { PriorAuthorizationResource } from 'pawl-client/schemas/prior-authorization'
import type { PaStatusResource } from 'pawl-client/schemas/pa-status'
import type { ProviderOutreachResource } from 'pawl-client/schemas/provider-outreach'

const random = createRandom(1)
const letters = 'a1b2c3d4e5f6g7h8i9j0'

/** Ids in the documented format. */
export const ids = {
  benefitVerification: `bv_${letters}`,
  clinicalQualification: `cq_${letters}`,
  priorAuthorization: `pa_req_${letters}`,
  enrollment: `enrollment_${letters}`,
  paStatus: `pa_status_${letters}`,
} as const

/** URL of an example's file, with a placeholder signature. */
function shownAddress(path: string): string {
  return `https://files.sandbox.invalid${path}?expires=1772454600000&signature=0a1b2c3d`
}

/** A new PA, made by the code that creates all PAs. */
export const createdPriorAuthorization: PriorAuthorizationResource = withAddresses(
  newPriorAuthorization(ids.priorAuthorization, requests.priorAuthorization, { cards: [], evidence: [] }, random),
  shownAddress,
)

/** The same PA, approved and with a transferred prescription. */
export const approvedPriorAuthorization: PriorAuthorizationResource = {
  ...createdPriorAuthorization,
  status: 'completed',
  outcome: outcomeOf({ result: 'Approved', detail_code: 'approval' }, Date.UTC(2026, 2, 4)),
  out_of_pocket_costs: [{ amount_cents: 2500, supply_duration_days: 30 }],
  message_thread: {
    is_resolved: true,
    messages: [
      {
        id: `msg_${letters.slice(4)}`,
        timestamp: '2026-03-03T15:00:00.000Z',
        content: 'The payer has what it asked for.',
        sent_by_name: 'Service Team',
        direction: 'received',
        is_resolution: true,
        attachments: [],
      },
    ],
  },
  activity_log: [
    {
      id: `act_${letters.slice(4)}`,
      created_at: '2026-03-02T12:00:00.000Z',
      type: 'sent_fax',
      details: { url: shownAddress(pathOfFile({ resourceId: ids.priorAuthorization, kind: 'faxes', name: '1.pdf' })) },
    },
  ],
  prescription_transfer: {
    status: 'completed',
    confirmed: true,
    error_code: null,
    transfer_attempts: [{ timestamp: '2026-03-04T10:00:00.000Z', pharmacy_ncpdp_id: '0123456' }],
    confirmation_attempts: [{ timestamp: '2026-03-04T12:00:00.000Z', outcome: 'success' }],
  },
  real_time_benefits_check_response: { patient_cost: '$25.00', prior_auth_required: true, alternatives: [] },
}

/** A completed BV, made by the code that completes all BVs. */
export const completedBenefitVerification = (() => {
  const resource = newBenefitVerification(ids.benefitVerification, requests.benefitVerification, random)
  resource.status = 'completed'
  resource.status_description = statusDescriptions.completed
  resource.verification_methods = [
    { id: `bva_${letters}`, type: 'ai_call', transcript: 'Sandbox call: no words were spoken.', recording_url: null },
  ]
  const script = decideBenefitVerification(requests.benefitVerification, random, {
    isAuthorized: true,
    cases: undefined,
  })
  showResults(resource, script, random)
  return withAddresses(resource, shownAddress)
})()

/** A clinical qualification with its results. */
export const evaluatedClinicalQualification = (() => {
  const resource = newClinicalQualification(ids.clinicalQualification, requests.clinicalQualification, random)
  showQualification(resource, true)
  return withAddresses(resource, shownAddress)
})()

export const sentProviderOutreach: ProviderOutreachResource = {
  id: `prov_outreach_${letters}`,
  object: 'provider_outreach',
  outreach_sequence_id: `prov_outreach_seq_${letters}`,
  outreach_sequence_state: 'in_progress',
  prior_authorization_id: ids.priorAuthorization,
  channel: 'fax',
  state: 'sent',
  created_at: '2026-03-02T12:00:00.000Z',
  updated_at: '2026-03-02T12:05:00.000Z',
  transmission: {
    sent_at: '2026-03-02T12:05:00.000Z',
    to: '5555550101',
    content: 'Please supply what the payer asks for.',
    attachments: [
      {
        file_name: 'request.pdf',
        url: shownAddress(
          pathOfFile({ resourceId: `prov_outreach_${letters}`, kind: 'outreach', name: 'request.pdf' }),
        ),
      },
    ],
  },
}

/** A provider who has signed. */
export const authorizedProvider = { ...requests.providerAuthorization, signed_at: '2026-03-01T09:00:00.000Z' }

const individual = { npi: '1234567893', ...requests.lookupByName }

/** Answer to a search by name. */
export const foundProviders = { status: 'search_results', candidates: [individual] }

/** Answer to a lookup by NPI. */
export const knownProvider = { status: 'active', individual }

/** A status check that found one PA. */
export const completedPaStatus: PaStatusResource = {
  id: ids.paStatus,
  object: 'pa_status',
  status: 'completed',
  failure_reason: null,
  effective_processing_method: 'instant',
  prior_authorizations: [
    {
      status: 'approved',
      drug: { name: 'Examplumab' },
      authorization_start_date: '2026-03-04',
      authorization_expiration: '2027-03-04',
    },
  ],
}

/** Answer of the status probe. */
export const serviceStatus = { message: 'The API is operational.' }
