import type { Reference } from 'fhir/r4.js'
import { PawlError } from '../../../base/errors.ts'
import type { Patient } from '../../../service/schemas/people.ts'
import type { RunContext } from '../../../systems/system.ts'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import { type ChartClient, searchToken, type StoredResource } from './chart-client.ts'
import { followReplacements, isActive } from './follow-replacements.ts'
import { text } from './mapping/primitives.ts'
import type { PatientField } from './settings.ts'

/** How the patient of a PA or BV is found in the chart. */
export interface PatientOptions {
  /** `internal_id` and `mrn`: the value is an identifier in the chart. `fhir_id`: `internal_id` is the id of the chart's Patient. */
  field: PatientField
  /** The identifier's system; absent: any. */
  system?: string | undefined
  /** Whether the birth dates must agree, where both are known. */
  checksBirthDate: boolean
}

const dayMs = 86_400_000

/** The chart has no patient for a PA or BV. Parks, and is tried again daily; names the number of matches, and nothing of the patient. */
export class PatientNotFound extends PawlError {
  readonly code = 'patient_not_found'
  readonly system = 'ehr'
  override readonly parkedAgainMs = dayMs
}

/** The chart has several patients for one number. Parks, and is tried again daily; names the number of matches, and nothing of the patients. */
export class PatientAmbiguous extends PawlError {
  readonly code = 'patient_ambiguous'
  readonly system = 'ehr'
  override readonly parkedAgainMs = dayMs
}

/** The chart's own Patient. */
export interface ResolvedPatient {
  id: string
  reference: Reference
}

/** The patient that a write is for is now another record of the chart: it was merged, or deleted and entered anew. Caught by `createMappedEhr`, which writes for the other one. */
export class PatientMoved extends Error {
  readonly to: ResolvedPatient

  constructor(to: ResolvedPatient) {
    super('The patient is another record of the chart now.')
    this.to = to
  }
}

/** Finds the patients of one run in the chart. */
export interface PatientResolver {
  /** Who the chart's patient is, as remembered, or else as the chart says. Throws `PatientNotFound`, `PatientAmbiguous`, `EhrWriteFailed`. */
  find(this: void, patient: Patient | undefined): Promise<ResolvedPatient>
  /** Asks the chart, once in a run, whether a patient that was remembered is still the record to write for: call it before a write. Throws `PatientMoved` where it is another one now, and what `find` throws. */
  assertCurrent(this: void, id: string): Promise<void>
}

/** Under which the patient is remembered: the id, and of which number and birth date it is. */
export const patientRole = 'Patient'

/** Said in every failure to find a patient. */
const retried = 'It is tried again daily and with its next event; "pawl retry" tries it now.'

/** Makes the resolver of one run. What was found is remembered for the resource, as long as number and birth date stay the same. */
export function createPatientResolver(
  { field, system, checksBirthDate }: PatientOptions,
  {
    client,
    run,
  }: { client: Pick<ChartClient, 'read' | 'search' | 'idOf'>; run: Pick<RunContext, 'memory' | 'digest'> },
): PatientResolver {
  const sent = field === 'mrn' ? 'mrn' : 'internal_id'
  /** Whom an id stands for that was remembered, and not found in this run. */
  const remembered = new Map<string, Sought>()
  /** The record to write for in place of such an id, asked for once. */
  const confirmed = new Map<string, Promise<ResolvedPatient>>()

  function soughtOf(patient: Patient | undefined): Sought {
    const number = text(patient?.[sent])
    if (number === undefined) {
      throw new PatientNotFound(
        `The service's resource has no patient.${sent}, by which FHIR_PATIENT_FIELD=${field} finds the patient in the chart: send it with the request, or set another field. ${retried}`,
      )
    }
    const birthDate = checksBirthDate ? text(patient?.date_of_birth) : undefined
    const digest = run.digest(JSON.stringify(['patient', field, system, number, birthDate]))
    return { number, birthDate, digest }
  }

  async function findAnew(sought: Sought): Promise<ResolvedPatient> {
    const { id } = onlyOne(await search(sought.number), sought.birthDate)
    run.memory.note(patientRole, { id, digest: sought.digest })
    return resolved(id)
  }

  /** Those that have the number, each as the record that is in use in its place. */
  async function search(number: string): Promise<StoredResource[]> {
    const found = field === 'fhir_id' ? await readById(number) : await searchByNumber(number)
    const current = await Promise.all(found.map((each) => followReplacements(client, each)))
    const distinct = [...new Map(current.flatMap((each) => (each === undefined ? [] : [[each.id, each]]))).values()]
    // Of a record that is not in use any more and one that is, the latter is meant.
    return distinct.some(isActive) ? distinct.filter(isActive) : distinct
  }

  async function readById(id: string): Promise<StoredResource[]> {
    const held = /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/.test(id) ? await client.read('Patient', id) : undefined
    return held === undefined ? [] : [held]
  }

  async function searchByNumber(number: string): Promise<StoredResource[]> {
    const found = await client.search('Patient', { identifier: searchToken({ system, value: number }) })
    // Some servers pass over what they cannot search by, and return whatever they have.
    return found.filter(({ identifier }) =>
      identifier?.some((each) => each.value === number && (system === undefined || each.system === system)),
    )
  }

  function onlyOne(found: StoredResource[], birthDate: string | undefined): StoredResource {
    const where =
      field === 'fhir_id' ? 'as its id' : `as identifier${system === undefined ? '' : ` of FHIR_PATIENT_SYSTEM`}`
    const fitting = found.filter((each) => !contradicts(each.birthDate, birthDate))
    const [only, ...others] = fitting
    if (only !== undefined && others.length === 0) return only
    if (only !== undefined) {
      throw new PatientAmbiguous(
        `${fitting.length} patients of the chart have the request's patient.${sent} ${where}: merge them there, or name the right identifier system in FHIR_PATIENT_SYSTEM. ${retried}`,
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
    throw new PatientNotFound(`${matches}: ${remedy}. ${retried}`)
  }

  /** The remembered record, or the one in use in its place; absent where only a search can tell. */
  async function lookAgain(id: string, birthDate: string | undefined): Promise<StoredResource | undefined> {
    try {
      const held = await client.read('Patient', id)
      const current = held && (await followReplacements(client, held))
      return current !== undefined && isActive(current) && !contradicts(current.birthDate, birthDate)
        ? current
        : undefined
    } catch (error) {
      // Credentials may be allowed to search and not to read; and a 404 may be a proxy's, whose server is away.
      if (error instanceof EhrWriteFailed && error.retry === 'never' && field !== 'fhir_id') return undefined
      throw error
    }
  }

  async function confirm(id: string, sought: Sought): Promise<ResolvedPatient> {
    const current = await lookAgain(id, sought.birthDate)
    if (current === undefined) return findAnew(sought)
    if (current.id !== id) run.memory.note(patientRole, { id: current.id, digest: sought.digest })
    return resolved(current.id)
  }

  return {
    async find(patient) {
      const sought = soughtOf(patient)
      const known = await run.memory.read(patientRole)
      if (known?.digest !== sought.digest) return findAnew(sought)
      remembered.set(known.id, sought)
      return resolved(known.id)
    },
    async assertCurrent(id) {
      const sought = remembered.get(id)
      if (sought === undefined) return
      const asked = confirmed.get(id) ?? confirm(id, sought)
      confirmed.set(id, asked)
      asked.catch(() => confirmed.delete(id))
      const current = await asked
      if (current.id !== id) throw new PatientMoved(current)
    },
  }
}

/** By what a patient is looked for, and the digest of that. */
interface Sought {
  number: string
  birthDate: string | undefined
  digest: string
}

/** Whether two dates differ, as far as both are there; a chart may know the year or month alone. */
function contradicts(held: unknown, sent: string | undefined): boolean {
  if (typeof held !== 'string' || sent === undefined) return false
  return !sent.startsWith(held)
}

function resolved(id: string): ResolvedPatient {
  return { id, reference: { reference: `Patient/${id}`, type: 'Patient' } }
}
