import type { PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import { dispensingPharmacyNcpdpId } from 'pawl-client/schemas/dispensing-pharmacy'
import { codeInWords, inWords, type Row, rowsOf, type Section, shownTime, yesOrNo } from './narrative.ts'
import { join, text } from '../primitives.ts'
import { costsOf } from './shared-sections.ts'

/** The patient's cost of the drug and of its alternatives. */
export function costSection(pa: PriorAuthorization): Section {
  const check = pa.real_time_benefits_check_response
  const alternatives = (check?.alternatives ?? []).flatMap(
    ({ description, product_id, patient_cost, ...alternative }) => {
      const needs = alternative.prior_auth_required
      const authorization = needs === undefined ? undefined : `prior authorization ${needs ? '' : 'not '}required`
      const name = text(description) ?? product_id
      return rowsOf({ Alternative: join([name, dollars(patient_cost), authorization], ', ') })
    },
  )
  return {
    heading: 'Costs and real-time benefits check',
    rows: [
      ...rowsOf({
        'Out of pocket': costsOf(pa.out_of_pocket_costs),
        'Patient cost': dollars(check?.patient_cost),
        'Authorization required': yesOrNo(check?.prior_auth_required),
      }),
      ...alternatives,
    ],
  }
}

/** The service does not state the unit of a bare number. */
function dollars(cost: string | number | undefined): string | undefined {
  return cost === undefined ? undefined : text(String(cost))
}

/** Where the prescription went. */
export function transferSection(pa: PriorAuthorization): Section {
  const transfer = pa.prescription_transfer
  const pharmacy = dispensingPharmacyNcpdpId(pa)
  const destination: Row[] = rowsOf({
    Pharmacy: join([pa.pharmacy?.name, pharmacy && `NCPDP ${pharmacy}`], ', '),
    'Pharmacy wanted': pa.ndp_submission?.preferred_pharmacy_details,
  })
  if (transfer === undefined) return { heading: 'Pharmacy', rows: destination }
  const attempts = (transfer.transfer_attempts ?? []).map(({ timestamp, pharmacy_ncpdp_id }) =>
    join([shownTime(timestamp), text(pharmacy_ncpdp_id) && `to ${pharmacy_ncpdp_id}`], ' '),
  )
  const confirmations = (transfer.confirmation_attempts ?? []).map(({ timestamp, outcome }) =>
    join([shownTime(timestamp), outcome], ' '),
  )
  return {
    heading: 'Prescription transfer',
    rows: [
      ...rowsOf({ Status: transfer.status && inWords(transfer.status), Error: codeInWords(transfer.error_code) }),
      ...destination,
      ...rowsOf({
        Confirmed: yesOrNo(transfer.confirmed),
        'Transfer attempts': join(attempts, '; '),
        'Confirmation attempts': join(confirmations, '; '),
      }),
    ],
  }
}

/** Last message and last activity; the messages and activities themselves are filed separately. */
export function historySection(pa: PriorAuthorization): Section {
  const messages = pa.message_thread?.messages ?? []
  const message = messages.at(-1)
  const activity = pa.activity_log?.at(-1)
  return {
    heading: 'Messages and activity',
    rows: rowsOf({
      Messages: messages.length === 0 ? undefined : String(messages.length),
      'Conversation resolved': messages.length === 0 ? undefined : yesOrNo(pa.message_thread?.is_resolved),
      'Last message': join([shownTime(message?.timestamp), message?.sent_by_name], ', '),
      'Last activity': join([shownTime(activity?.created_at), activity?.type && inWords(activity.type)], ', '),
    }),
  }
}
