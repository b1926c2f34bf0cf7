import type { Resource } from '@medplum/fhirtypes'
import { diagnoses, dispensing, insuranceContent, patient, prescription, provider } from '@pawl/sandbox/sample-requests'

/** The id of the prescription. */
export const orderId = 'example-order'

const terminology = 'http://terminology.hl7.org/CodeSystem'

/** A prescription for this patient of the chart with every field that a request needs: the sandbox's sample request as a clinic would keep it. */
export function sampleOrder(patientId: string, numberSystem: string): Resource[] {
  const subject = { reference: `Patient/${patientId}` }
  const { address } = patient
  const classes = { rxbin: insuranceContent.rx_bin, rxpcn: insuranceContent.rx_pcn, rxgroup: insuranceContent.rx_group }
  return [
    {
      resourceType: 'Patient',
      id: patientId,
      identifier: [{ system: numberSystem, value: patient.internal_id }],
      name: [{ use: 'official', family: patient.last_name, given: [patient.first_name] }],
      gender: 'unknown',
      birthDate: patient.date_of_birth,
      address: [
        {
          use: 'home',
          line: [address.street],
          city: address.city,
          state: address.state_province,
          postalCode: address.zip_postal_code,
          country: 'US',
        },
      ],
    },
    {
      resourceType: 'Practitioner',
      id: 'example-prescriber',
      identifier: [{ system: 'http://hl7.org/fhir/sid/us-npi', value: provider.npi }],
      name: [{ family: provider.last_name, given: [provider.first_name] }],
      address: [{ use: 'work', country: provider.address.country }],
    },
    {
      resourceType: 'Coverage',
      id: 'example-coverage',
      status: 'active',
      subscriberId: insuranceContent.member_number,
      beneficiary: subject,
      payor: [{ display: 'Sample Health Plan' }],
      class: Object.entries(classes).map(([code, value]) => ({
        type: { coding: [{ system: `${terminology}/coverage-class`, code }] },
        value,
      })),
    },
    {
      resourceType: 'Condition',
      id: 'example-reason',
      subject,
      code: { coding: diagnoses.map(({ code }) => ({ system: 'http://hl7.org/fhir/sid/icd-10-cm', code })) },
    },
    {
      resourceType: 'MedicationRequest',
      id: orderId,
      status: 'active',
      intent: 'order',
      contained: [
        {
          resourceType: 'Medication',
          id: 'drug',
          code: { text: prescription.drug_name },
          form: { text: prescription.dose_form },
          ingredient: [
            {
              itemCodeableConcept: { text: prescription.drug_name },
              strength: { numerator: { value: 10, unit: 'mg' }, denominator: { value: 1, unit: 'injection' } },
            },
          ],
        },
      ],
      medicationReference: { reference: '#drug' },
      subject,
      authoredOn: dispensing.prescription_date,
      requester: { reference: 'Practitioner/example-prescriber' },
      reasonReference: [{ reference: 'Condition/example-reason' }],
      dosageInstruction: [{ text: dispensing.directions, route: { text: prescription.route_of_administration } }],
      dispenseRequest: {
        quantity: { value: dispensing.quantity, unit: 'injections' },
        expectedSupplyDuration: {
          value: dispensing.days_supply,
          unit: 'days',
          system: 'http://unitsofmeasure.org',
          code: 'd',
        },
      },
    },
  ]
}
