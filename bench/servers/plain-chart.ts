/** The fields that this worker reads, as its author typed them from the API's documentation; nothing checks them. */
export interface Pa {
  id: string
  status: string
  outcome: { result: string; detail: string | null }
  patient: { internal_id: string; first_name: string; last_name: string }
  provider: { npi: string }
  diagnoses: { code: string }[]
  prescription: { drug_name: string; strength: string; dose_form: string; quantity: number; days_supply: number }
  message_thread: {
    messages: { id: string; timestamp: string; content: string; sent_by_name: string; direction: string }[]
  } | null
}

/** Puts a resource by its identifier. */
export type Put = (type: string, identifier: Identifier, resource: object) => unknown

interface Identifier {
  system: string
  value: string
}

const base = 'https://clinic.example/identifiers'
const taskStatus: Record<string, string> = {
  created: 'requested',
  processing: 'in-progress',
  awaiting_review: 'on-hold',
  awaiting_outcome: 'in-progress',
  validating_outcome: 'in-progress',
  completed: 'completed',
  cancelled: 'cancelled',
}

/** Brings a PA into the chart as a good engineer writes it in two days: the same resources as pawl makes of it, each put whole. It compares nothing, remembers nothing and overwrites edits of staff. */
export async function writePriorAuthorization(pa: Pa, patientId: string, put: Put): Promise<void> {
  const identifier = { system: `${base}/prior-authorization`, value: pa.id }
  const about = { type: 'Task', identifier }
  const patient = { reference: `Patient/${patientId}` }
  const requester = { identifier: { system: 'http://hl7.org/fhir/sid/us-npi', value: pa.provider.npi } }
  const { drug_name, strength, dose_form, quantity, days_supply } = pa.prescription
  const drug = `${drug_name} ${strength} ${dose_form}`
  const now = new Date().toISOString()
  const isDone = pa.status === 'completed'
  const write = (type: string, name: Identifier, content: object) =>
    put(type, name, { resourceType: type, identifier: [name], ...content })

  await Promise.all([
    write('Task', identifier, {
      status: taskStatus[pa.status] ?? 'in-progress',
      businessStatus: { text: pa.status },
      intent: 'order',
      code: { text: 'Prior authorization' },
      description: `${drug}, quantity ${quantity}, ${days_supply} days`,
      for: patient,
      lastModified: now,
      requester,
      input: [
        { type: { text: 'Drug' }, valueCodeableConcept: { text: drug } },
        ...pa.diagnoses.map(({ code }) => ({
          type: { text: 'Diagnosis' },
          valueCodeableConcept: { coding: [{ system: 'http://hl7.org/fhir/sid/icd-10-cm', code }] },
        })),
      ],
    }),
    write('ClaimResponse', identifier, {
      status: 'active',
      type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/claim-type', code: 'pharmacy' }] },
      use: 'preauthorization',
      patient,
      created: now,
      insurer: { display: 'Payer' },
      requestor: requester,
      request: { type: 'Claim', identifier },
      outcome: isDone ? 'complete' : 'queued',
      disposition: pa.outcome.result,
    }),
    write('DocumentReference', identifier, {
      status: 'current',
      docStatus: isDone ? 'final' : 'preliminary',
      type: { coding: [{ system: 'http://loinc.org', code: '51851-4' }], text: 'Administrative note' },
      subject: patient,
      date: now,
      description: `Prior authorization: ${pa.status}, ${drug}`,
      content: [{ attachment: { contentType: 'text/plain', data: Buffer.from(narrate(pa, drug)).toString('base64') } }],
    }),
  ])
  for (const { id, timestamp, content, sent_by_name, direction } of pa.message_thread?.messages ?? []) {
    await write(
      'Communication',
      { system: `${base}/message`, value: `${pa.id}/${id}` },
      {
        partOf: [about],
        status: 'completed',
        subject: patient,
        sent: timestamp,
        sender: { display: sent_by_name },
        recipient: [{ display: direction === 'sent' ? 'Payer' : 'Clinic' }],
        payload: [{ contentString: content }],
      },
    )
  }
  if (pa.status !== 'awaiting_review') return
  await write(
    'Task',
    { system: `${base}/review`, value: pa.id },
    {
      partOf: [about],
      focus: about,
      status: 'requested',
      intent: 'order',
      code: { text: 'Review a prior authorization' },
      description: `Review a prior authorization\n${drug}`,
      for: patient,
      authoredOn: now,
    },
  )
}

function narrate({ id, status, outcome, patient, diagnoses, message_thread }: Pa, drug: string): string {
  return [
    `Prior authorization ${id}`,
    `Patient: ${patient.first_name} ${patient.last_name}`,
    `Drug: ${drug}`,
    `Diagnoses: ${diagnoses.map(({ code }) => code).join(', ')}`,
    `Status: ${status}`,
    `Outcome: ${outcome.result}${outcome.detail === null ? '' : `, ${outcome.detail}`}`,
    ...(message_thread?.messages ?? []).map(
      ({ timestamp, sent_by_name, content }) => `${timestamp} ${sent_by_name}: ${content}`,
    ),
  ].join('\n')
}
