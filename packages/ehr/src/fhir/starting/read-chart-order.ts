import type {
  Condition,
  Coverage,
  Medication,
  MedicationRequest,
  Patient,
  Practitioner,
  PractitionerRole,
  Reference,
} from 'fhir/r4.js'
import type { ChartClient } from '../chart-client.ts'
import type { ChartOrder } from './from-medication-request.ts'
import { refersTo } from './pick.ts'

interface Records {
  Condition: Condition
  Coverage: Coverage
  Medication: Medication
  MedicationRequest: MedicationRequest
  Patient: Patient
  Practitioner: Practitioner
  PractitionerRole: PractitionerRole
}

/**
 * A prescription with the records that it names: patient, prescriber, drug, reasons and coverages; without named coverages, all of the patient
 * but pawl's own (`base`). `undefined` without such a prescription or its patient. Throws `EhrWriteFailed`.
 */
export async function readChartOrder(
  client: Pick<ChartClient, 'read' | 'search' | 'idOf'>,
  id: string,
  base: string,
): Promise<ChartOrder | undefined> {
  async function read<Type extends keyof Records>(
    type: Type,
    at: string | undefined,
  ): Promise<Records[Type] | undefined> {
    const found: unknown = at === undefined ? undefined : await client.read(type, at)
    // The client checked the type, and a FHIR server gives no other form of it.
    return found as Records[Type] | undefined
  }
  const follow = <Type extends keyof Records>(type: Type, to: Reference | undefined) =>
    read(type, client.idOf(type, to?.reference))
  const followAll = async <Type extends keyof Records>(type: Type, references: readonly Reference[]) =>
    (await Promise.all(references.map((each) => follow(type, each)))).flatMap((each) => each ?? [])

  const medicationRequest = await read('MedicationRequest', id)
  const patient = await follow('Patient', medicationRequest?.subject)
  if (medicationRequest === undefined || patient?.id === undefined) return undefined
  const { requester, reasonReference = [], insurance = [], medicationReference } = medicationRequest
  const prescriber = (await follow('PractitionerRole', requester))?.practitioner ?? requester
  const coverages =
    insurance.length > 0
      ? await followAll('Coverage', insurance)
      : // As above.
        ((await client.search('Coverage', { patient: patient.id })) as unknown as Coverage[])
  const isOfPatient = (reference: Reference | undefined) => refersTo(reference, 'Patient', patient.id)
  return {
    medicationRequest,
    patient,
    practitioner: await follow('Practitioner', prescriber),
    medication: await follow('Medication', medicationReference),
    conditions: (await followAll('Condition', reasonReference)).filter(({ subject }) => isOfPatient(subject)),
    // A server may ignore an unknown parameter.
    coverage: withoutOwn(
      coverages.filter(({ beneficiary }) => isOfPatient(beneficiary)),
      base,
    ),
  }
}

/** The coverages that the clinic keeps; pawl's own, from BVs, only where there are no others. */
function withoutOwn(coverages: readonly Coverage[], base: string): readonly Coverage[] {
  const kept = coverages.filter(
    ({ identifier = [] }) => !identifier.some(({ system }) => system?.startsWith(`${base}/`) === true),
  )
  return kept.length > 0 ? kept : coverages
}
