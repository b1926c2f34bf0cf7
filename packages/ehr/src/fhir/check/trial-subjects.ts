import type { BenefitVerification } from 'pawl-client/schemas/benefit-verification'
import type { PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import type { ChartFile, ChartNote, Ehr } from '../../ehr.ts'

const title = 'Test of a connection'
const words = 'This tests whether pawl can write here. It says nothing about a patient.'
const at = '2026-01-01T12:00:00Z'

/** The note of a trial. */
export const trialNote: ChartNote = { key: 'note', title, text: words, at }

/** The smallest PDF with a page. */
const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`

/** The writes of one trial: one of each type and kind, all marked as tests. The note is first, since it reveals the most about the chart's documents. Files are PDFs, or texts where the chart takes no PDF. */
export function trialWrites(
  ehr: Ehr,
  { key, npi, takesPdf }: { key: string; npi: string | undefined; takesPdf: boolean },
): (() => Promise<void>)[] {
  const request = {
    patient: { internal_id: `check-${key}`, first_name: 'Test', last_name: 'Patient' },
    provider: { first_name: 'Test', last_name: 'Prescriber', ...(npi !== undefined && { npi }) },
    insurance: [{ discrete_content: { payer_name: title, member_number: `test-${key}` } }],
    diagnoses: [{ code: 'Z00.00' }],
  }
  const pa: PriorAuthorization = {
    id: `pa_req_check-${key}`,
    object: 'prior_authorization',
    url: '',
    status: 'completed',
    outcome: {
      result: 'Approved',
      detail: words,
      authorization_start_date: '2026-01-01',
      authorization_expiration: '2026-12-31',
    },
    ...request,
    prescription: { drug_name: title, strength: '10 mg', quantity: 30, days_supply: 30, ndc: '00000-0000-01' },
    prescription_transfer: { status: 'completed', confirmed: true, transfer_attempts: [], confirmation_attempts: [] },
  }
  const bv: BenefitVerification = {
    id: `bv_check-${key}`,
    object: 'benefit_verification',
    status: 'completed',
    status_description: words,
    ...request,
    patient_coverage_status: 'covered',
    drugs: [
      { name: title, dosage: '10 mg', ndc: '00000-0000-01', coverage: 'covered', prior_authorization_required: 'no' },
    ],
  }
  const message = {
    id: `msg_check-${key}`,
    timestamp: at,
    content: `${title}. ${words}`,
    direction: 'received' as const,
  }
  const file = (kind: ChartFile['kind']): ChartFile => ({
    key: kind,
    kind,
    title: `${title}: ${kind.replace('_', ' ')}`,
    at,
    contentType: takesPdf ? 'application/pdf' : 'text/plain',
    content: Buffer.from(takesPdf ? pdf : words),
  })
  return [
    () => ehr.putNote(pa, trialNote),
    () => ehr.putPriorAuthorization(pa),
    () => ehr.putPrescriptionTransfer(pa),
    () => ehr.openStaffTask(pa, { title, reason: 'test', instructions: words }),
    () => ehr.putMessage(pa, message, [file('attachment')]),
    ...(['letter', 'fax_sent', 'fax_received', 'other'] as const).map((kind) => () => ehr.putFile(pa, file(kind))),
    () => ehr.putBenefitVerification(bv),
  ]
}
