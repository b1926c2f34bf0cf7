import { refuse } from '../../platform/refusal.ts'
import { refuseByTestValue, testValues } from '../../platform/test-values.ts'
import { isMarkedCard } from '../../files/insurance-records.ts'
import { forcedRefusal } from '../forced-refusal.ts'
import { messageKey } from '../prescription-message.ts'
import { isTestDrug } from '../script.ts'
import type { Rule } from './content-rule.ts'

/** Rules about the request's content (supplement, PA create). All except the last two apply only to test values. */
export const contentRules: readonly Rule[] = [
  ({ request, priorAuthorizations, organization }) => {
    refuseByTestValue('POST /prior-authorization', request.patient.internal_id, (code) =>
      forcedRefusal(code, priorAuthorizations.listOwn(organization.id).at(-1)),
    )
    return undefined
  },
  ({ request }) =>
    isTestDrug(request.prescription, testValues.unsupportedDrug) ? refuse('unsupported_drug') : undefined,
  ({ request }) =>
    request.insurance_content?.rx_bin === testValues.unknownBin
      ? refuse('insurance_content_invalid_rx_bin')
      : undefined,
  ({ request }) =>
    request.insurance?.some((card) => isMarkedCard(card, testValues.cardWithoutMemberId)) === true
      ? refuse('insurance_card_member_id_ocr_failure')
      : undefined,
  ({ request }) =>
    request.ndp_submission?.prescription_message_id.startsWith(testValues.unknownPrescription) === true
      ? refuse('prescription_message_not_found')
      : undefined,
  ({ request, organization, priorAuthorizations, prescriptionMessages }) => {
    const message = request.ndp_submission?.prescription_message_id
    const link = message && prescriptionMessages.find(messageKey(organization.id, message))
    const linked = link && priorAuthorizations.find(link.priorAuthorizationId)
    if (!linked || freeing.has(linked.resource.status)) return undefined
    if (linked.id === request.resubmission_info?.previous_prior_auth_request_id) return undefined
    return refuse('prescription_message_already_linked', { existing_prior_auth_request_id: linked.id })
  },
  ({ request, organization, isAuthorized }) =>
    organization.requiresProviderAuthorization && !isAuthorized(request.provider.npi)
      ? refuse('provider_not_authorized')
      : undefined,
]

/** Terminal statuses that free the prescription message for another PA; a choice. A resubmission may always reuse it. */
const freeing: ReadonlySet<string> = new Set(['cancelled', 'not_submitted', 'failed'])
