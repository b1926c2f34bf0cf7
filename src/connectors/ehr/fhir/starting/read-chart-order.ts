import type {
  Condition,
  Coverage,
  FhirResource,
  Medication,
  MedicationRequest,
  Patient,
  Practitioner,
  PractitionerRole,
  Reference,
} from 'fhir/r4.js'
import type { ChartClient, StoredResource } from '../chart-client.ts'
import type { ChartOrder } from './from-medication-request.ts'
import { refersTo } from './pick.ts'

/** Reading alone. */
type Reader = Pick<ChartClient, 'read' | 'search' | 'idOf'>

/**
 * A prescription with the records that it names: patient, prescriber, drug, reasons and coverages; without named coverages, all of the patient
 * but pawl's own (`base`). `undefined` without such a prescription or its patient. Throws `EhrWriteFailed`.
 */
export async function readChartOrder(client: Reader, id: string, base: string): Promise<ChartOrder | undefined> {
  const medicationRequest = as<MedicationRequest>(await client.read('MedicationRequest', id))
  if (medicationRequest === undefined) return undefined
  const { subject, requester, reasonReference = [], insurance = [] } = medicationRequest
  const readReferred = async (type: string, reference: string | undefined) => {
    const found = client.idOf(type, reference)
    return found === undefined ? undefined : client.read(type, found)
  }
  const patient = await readReferred('Patient', subject.reference)
  if (patient === undefined) return undefined
  const role = await readReferred('PractitionerRole', requester?.reference)
  const prescriber = role === undefined ? requester?.reference : as<PractitionerRole>(role)?.practitioner?.reference
  const conditions = await Promise.all(reasonReference.map(({ reference }) => readReferred('Condition', reference)))
  const named = await Promise.all(insurance.map(({ reference }) => readReferred('Coverage', reference)))
  const coverages = insurance.length > 0 ? named : await client.search('Coverage', { patient: patient.id })
  const isOfPatient = (reference: Reference | undefined) => refersTo(reference, 'Patient', patient.id)
  return {
    medicationRequest,
    // A read resource is there, and of the type asked for.
    patient: patient as unknown as Patient,
    practitioner: as<Practitioner>(await readReferred('Practitioner', prescriber)),
    medication: as<Medication>(await readReferred('Medication', medicationRequest.medicationReference?.reference)),
    // A server may pass over a parameter that it does not know.
    conditions: all<Condition>(conditions).filter((each) => isOfPatient(each.subject)),
    coverage: withoutOwn(
      all<Coverage>(coverages).filter((each) => isOfPatient(each.beneficiary)),
      base,
    ),
  }
}

/** The coverages that the clinic keeps; pawl's own, from BVs, only where there are no others. */
function withoutOwn(coverages: readonly Coverage[], base: string): readonly Coverage[] {
  const kept = coverages.filter(
    ({ identifier = [] }) => !identifier.some(({ system }) => system?.startsWith(`${base}/`)),
  )
  return kept.length > 0 ? kept : coverages
}

/** The resource as its type; the chart's server vouches for its form. */
function as<T extends FhirResource>(resource: StoredResource | undefined): T | undefined {
  // The client checked its type, and a FHIR server gives no other form.
  return resource as unknown as T | undefined
}

function all<T extends FhirResource>(resources: readonly (StoredResource | undefined)[]): T[] {
  return resources.flatMap((each) => as<T>(each) ?? [])
}
