import type { Encounter, FhirResource } from 'fhir/r4.js'
import type { Chart } from '../../../../test/support/charts/start-chart.ts'

/** Invented patients whose numbers are easily taken for one another's: parts, numbers of another kind, ids of other patients. */
export const people = [
  { mrn: '0007', internalId: '1007', birthDate: '1970-01-31', name: 'Testa Sample' },
  { mrn: '1007', internalId: '0007', birthDate: '1970-01-31', name: 'Testo Sample' },
  { mrn: '00071', internalId: '10071', birthDate: '1981-02-03', name: 'Testa Sampleson' },
  { mrn: '7', internalId: '71', birthDate: '1990-12-24', name: 'Prova Muster' },
] as const

/** The NPI of the requests' prescriber. */
export const prescriberNpi = '1234567893'
export const nurseNpi = '1234567890'

/** Ids of practitioners whom the chart has. */
export const prescriberId = 'prescriber'
export const nurseId = 'nurse'

/** The number that two patients of the chart share. */
export const sharedMrn = '4711'

/** A chart in the middle of its life. */
export interface Population {
  /** The ids of `people`, in their order. */
  patientIds: readonly string[]
  /** Everything that was there before the gateway came, as it must be in the end, too. */
  others(): string[]
}

/** Seeds the people, bystanders, and what other systems keep of them, under names that resemble the gateway's. */
export function populate(chart: Chart): Population {
  chart.seedPatient({ id: '0007', mrn: '99', birthDate: '1955-05-05', name: 'Ida Bystander' })
  const patientIds = people.map((person) => chart.seedPatient(person))
  for (const name of ['Gemma Twin', 'Gerda Twin']) chart.seedPatient({ mrn: sharedMrn, birthDate: '1999-09-09', name })
  const seeded = [
    ...practitioners,
    ...('Encounter' in chart.profile.types ? patientIds.flatMap(encountersOf) : []),
    ...Array.from({ length: 7 }, (_, index) => foreignResources(patientIds, index)).flat(),
  ]
  const held = seeded.map((resource) => chart.seed(resource))
  return {
    patientIds,
    others: () => held.map(({ resourceType, id }) => JSON.stringify(chart.all(resourceType, (each) => each.id === id))),
  }
}

const npi = 'http://hl7.org/fhir/sid/us-npi'
export const practitioners: readonly FhirResource[] = [
  { resourceType: 'Practitioner', id: prescriberId, identifier: [{ system: npi, value: prescriberNpi }] },
  { resourceType: 'Practitioner', id: nurseId, identifier: [{ system: npi, value: nurseNpi }] },
]

/** Encounters of every age: by a rule of thirty days, the recent one is meant. */
export function encountersOf(patientId: string): FhirResource[] {
  const encounter = (name: string, daysAgo: number, status: Encounter['status'] = 'finished'): FhirResource => ({
    resourceType: 'Encounter',
    id: `${name}-${patientId}`,
    status,
    class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
    subject: { reference: `Patient/${patientId}` },
    period: { start: new Date(Date.now() - daysAgo * 86_400_000).toISOString() },
  })
  return [
    encounter('old', 400),
    encounter('recent', 9),
    encounter('earlier', 20),
    encounter('cancelled', 2, 'cancelled'),
    encounter('future', -5, 'planned'),
  ]
}

function foreignResources(patientIds: readonly string[], index: number): FhirResource[] {
  const patient = { reference: `Patient/${patientIds[index % patientIds.length]}` }
  const identifier = [{ system: 'https://other.example/id/prior-authorization', value: `pa_req_${index + 1}` }]
  const data = Buffer.from(`Progress note ${index}`).toString('base64')
  return [
    {
      resourceType: 'Task',
      identifier,
      status: 'requested',
      intent: 'order',
      code: { text: 'Prior authorization' },
      for: patient,
    },
    {
      resourceType: 'DocumentReference',
      identifier,
      status: 'current',
      subject: patient,
      content: [{ attachment: { contentType: 'text/plain', data } }],
    },
    { resourceType: 'Communication', identifier, status: 'completed', subject: patient },
    {
      resourceType: 'Coverage',
      identifier: [{ system: 'https://other.example/id/coverage', value: `M-${index + 1}` }],
      status: 'active',
      subscriberId: `M-${index + 1}`,
      beneficiary: patient,
      payor: [{ display: 'Sample Payer' }],
    },
  ]
}
