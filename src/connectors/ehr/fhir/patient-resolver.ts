import { createHash } from 'node:crypto'
import type { Reference } from 'fhir/r4.js'
import { PawlError } from '../../../errors.ts'
import type { Patient } from '../../../resources/shared.ts'
import type { Memory } from '../../../systems/system.ts'
import { type ChartClient, searchToken, type StoredResource } from './chart-client.ts'
import { text } from './mapping/primitives.ts'

/** Which of the service's fields says who the patient is in the chart. */
export const patientFields = ['internal_id', 'mrn', 'fhir_id'] as const
export type PatientField = (typeof patientFields)[number]

/** How the patient of a PA or BV is found in the chart. */
export interface PatientOptions {
  /** `internal_id` and `mrn`: the value is an identifier in the chart. `fhir_id`: `internal_id` is the id of the chart's Patient. */
  field: PatientField
  /** The identifier's system; absent: any. */
  system?: string | undefined
  /** Whether the birth dates must agree, where both are known. */
  checksBirthDate: boolean
}

/** The chart has no patient for a PA or BV. Parks; names the number of matches, and nothing of the patient. */
export class PatientNotFound extends PawlError {
  readonly code = 'patient_not_found'
  readonly system = 'ehr'
}

/** The chart has several patients for one number. Parks; names the number of matches, and nothing of the patients. */
export class PatientAmbiguous extends PawlError {
  readonly code = 'patient_ambiguous'
  readonly system = 'ehr'
}

/** The chart's own Patient. */
export interface ResolvedPatient {
  id: string
  reference: Reference
}

/** Finds the patient of one of the service's resources in the chart. Throws `PatientNotFound`, `PatientAmbiguous`, `EhrWriteFailed`. */
export type ResolvePatient = (patient: Patient | undefined) => Promise<ResolvedPatient>

/** What is remembered under it: the id, and of which number and birth date it is. */
const role = 'Patient'

/** Makes the resolver of one run. What was found is remembered for the resource, as long as number and birth date stay the same. */
export function createPatientResolver(
  { field, system, checksBirthDate }: PatientOptions,
  { client, memory }: { client: Pick<ChartClient, 'read' | 'search'>; memory: Memory },
): ResolvePatient {
  const sent = field === 'mrn' ? 'mrn' : 'internal_id'

  return async (patient) => {
    const number = text(patient?.[sent])
    if (number === undefined) {
      throw new PatientNotFound(
        `The service's resource has no patient.${sent}, by which FHIR_PATIENT_FIELD=${field} finds the patient in the chart: send it with the request, or set another field.`,
      )
    }
    const birthDate = checksBirthDate ? text(patient?.date_of_birth) : undefined
    const digest = createHash('sha256')
      .update(JSON.stringify([field, system, number, birthDate]))
      .digest('hex')
    const remembered = await memory.read(role)
    if (remembered?.digest === digest) return resolved(remembered.id)
    const { id } = onlyOne(await find(number), birthDate)
    memory.note(role, { id, digest })
    return resolved(id)
  }

  async function find(number: string): Promise<StoredResource[]> {
    if (field === 'fhir_id') {
      const held = /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/.test(number) ? await client.read('Patient', number) : undefined
      return held === undefined ? [] : [held]
    }
    const found = await client.search('Patient', { identifier: searchToken({ system, value: number }) })
    // Some servers pass over what they cannot search by, and return whatever they have.
    const carrying = found.filter(({ identifier }) =>
      identifier?.some((each) => each.value === number && (system === undefined || each.system === system)),
    )
    return [...new Map(carrying.map((each) => [each.id, each])).values()]
  }

  function onlyOne(found: StoredResource[], birthDate: string | undefined): StoredResource {
    const where =
      field === 'fhir_id' ? 'as its id' : `as identifier${system === undefined ? '' : ` of FHIR_PATIENT_SYSTEM`}`
    const fitting = found.filter((each) => !contradicts(each.birthDate, birthDate))
    const [only, ...others] = fitting
    if (only !== undefined && others.length === 0) return only
    if (only !== undefined) {
      throw new PatientAmbiguous(
        `${fitting.length} patients of the chart have the request's patient.${sent} ${where}: merge them there, or name the right identifier system in FHIR_PATIENT_SYSTEM; then retry the parked work.`,
      )
    }
    const matches =
      found.length === 0
        ? `No patient of the chart has the request's patient.${sent} ${where} (0 matches)`
        : `The birth date of none of those that have the request's patient.${sent} ${where} agrees (${found.length} matches)`
    const remedy =
      found.length === 0
        ? 'enter it in the chart, or correct FHIR_PATIENT_FIELD or FHIR_PATIENT_SYSTEM'
        : 'correct the birth date in the chart or in the request, or set FHIR_PATIENT_CHECK_BIRTH_DATE=false'
    throw new PatientNotFound(`${matches}: ${remedy}; then retry the parked work.`)
  }
}

/** Whether two dates differ, as far as both are there; a chart may know the year or month alone. */
function contradicts(held: unknown, sent: string | undefined): boolean {
  if (typeof held !== 'string' || sent === undefined) return false
  return !sent.startsWith(held)
}

function resolved(id: string): ResolvedPatient {
  return { id, reference: { reference: `Patient/${id}`, type: 'Patient' } }
}
