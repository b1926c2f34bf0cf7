import type { Reference } from 'fhir/r4.js'
import { type Clock, systemClock } from '@pawl/base/clock'
import type { Patient } from 'pawl-client/schemas/people'
import type { RunContext } from '@pawl/connector/system'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import { PatientAmbiguous, PatientNotFound } from '../patient-not-found.ts'
import type { ChartClient } from './chart-client.ts'
import { searchToken } from './search-token.ts'
import type { StoredResource } from './stored-resource.ts'
import { followReplacements, isActive } from './follow-replacements.ts'
import { text } from '../primitives.ts'
import { createRecentAnswers, type RecentAnswers } from './recent-answers.ts'
import type { PatientField } from './settings.ts'

export interface PatientOptions {
  /** `internal_id` and `mrn`: the value is an identifier in the chart. `fhir_id`: `internal_id` is the id of the chart's Patient. */
  field: PatientField
  /** The identifier's system; absent: any. */
  system?: string | undefined
  /** Whether the birth dates must agree if both are known. */
  checksBirthDate: boolean
}

/** The chart's own Patient. */
export interface ResolvedPatient {
  id: string
  reference: Reference
}

/** The patient of a write is now another record: merged, or deleted and entered again. `createMappedEhr` catches it and writes for the other record. */
export class PatientMoved extends Error {
  readonly to: ResolvedPatient

  constructor(to: ResolvedPatient) {
    super('The patient is now another record of the chart.')
    this.to = to
  }
}

/** Finds the patients of one run in the chart. */
export interface PatientResolver {
  /** The chart's patient, from memory or else by search. Throws `PatientNotFound`, `PatientAmbiguous`, `EhrWriteFailed`. */
  find(this: void, patient: Patient | undefined): Promise<ResolvedPatient>
  /** Call before a write: verifies with the chart, once per run, that a remembered patient is still the current record. Throws `PatientMoved` if not, and the errors of `find`. */
  assertCurrent(this: void, id: string): Promise<void>
}

/** Patient lookups shared by concurrent runs of one process, such as the handlers of one PA. */
export interface PatientLookups {
  searches: RecentAnswers<ResolvedPatient>
  /** Reads of remembered records. */
  looks: RecentAnswers<ResolvedPatient>
}

/** Milliseconds for which runs share a read of a patient's record; a run that writes files relies on its own for longer. */
const sharedForMs = 5_000

export function createPatientLookups(clock: Clock): PatientLookups {
  return { searches: createRecentAnswers(clock, 0), looks: createRecentAnswers(clock, sharedForMs) }
}

/** Memory role of the patient: the chart's id, with a digest of number and birth date. */
export const patientRole = 'Patient'

/** Makes the resolver of one run. A result is remembered for the resource while number and birth date stay the same. */
export function createPatientResolver(
  { field, system, checksBirthDate }: PatientOptions,
  {
    client,
    run,
    lookups = createPatientLookups(systemClock),
  }: {
    client: Pick<ChartClient, 'read' | 'search' | 'idOf'>
    run: Pick<RunContext, 'memory' | 'inDoubt' | 'digest'>
    /** Default: shared with no other run. */
    lookups?: PatientLookups
  },
): PatientResolver {
  const sent = field === 'mrn' ? 'mrn' : 'internal_id'
  /** Search keys of ids that come from memory, not from a search in this run. */
  const remembered = new Map<string, PatientKey>()
  /** The current record for such an id, read once. */
  const confirmed = new Map<string, Promise<ResolvedPatient>>()

  function keyOf(patient: Patient | undefined): PatientKey {
    const number = text(patient?.[sent])
    if (number === undefined) {
      throw new PatientNotFound(
        `The service's resource has no patient.${sent}, by which FHIR_PATIENT_FIELD=${field} finds the patient in the chart: send it with the request, or set another field.`,
      )
    }
    const birthDate = checksBirthDate ? text(patient?.date_of_birth) : undefined
    const digest = run.digest(JSON.stringify(['patient', field, system, number, birthDate]))
    return { number, birthDate, digest }
  }

  async function findAnew(key: PatientKey): Promise<ResolvedPatient> {
    const { id } = onlyOne(await search(key.number), key.birthDate)
    return resolved(id)
  }

  /** The current records of all patients with the number. */
  async function search(number: string): Promise<StoredResource[]> {
    const found = field === 'fhir_id' ? await readById(number) : await searchByNumber(number)
    const current = await Promise.all(found.map((each) => followReplacements(client, each)))
    const distinct = [...new Map(current.flatMap((each) => (each === undefined ? [] : [[each.id, each]]))).values()]
    // An active record takes precedence over inactive ones.
    return distinct.some(isActive) ? distinct.filter(isActive) : distinct
  }

  async function readById(id: string): Promise<StoredResource[]> {
    const held = /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/.test(id) ? await client.read('Patient', id) : undefined
    return held === undefined ? [] : [held]
  }

  async function searchByNumber(number: string): Promise<StoredResource[]> {
    const found = await client.search('Patient', { identifier: searchToken({ system, value: number }) })
    // Some servers ignore an unsupported parameter and return all patients.
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
        `${fitting.length} patients of the chart have the request's patient.${sent} ${where}: merge them there, or name the right identifier system in FHIR_PATIENT_SYSTEM.`,
      )
    }
    const matches =
      found.length === 0
        ? `No patient of the chart has the request's patient.${sent} ${where} (0 matches)`
        : `No patient with the request's patient.${sent} ${where} has its birth date (${found.length} matches)`
    const remedy =
      found.length === 0
        ? 'enter it in the chart, or correct FHIR_PATIENT_FIELD or FHIR_PATIENT_SYSTEM'
        : 'correct the birth date in the chart or in the request, or set FHIR_PATIENT_CHECK_BIRTH_DATE=false'
    throw new PatientNotFound(`${matches}: ${remedy}.`)
  }

  /** The current record for a remembered id; undefined if pawl must search. */
  async function lookAgain(id: string, birthDate: string | undefined): Promise<StoredResource | undefined> {
    try {
      const held = await client.read('Patient', id)
      const current = held && (await followReplacements(client, held))
      return current !== undefined && isActive(current) && !contradicts(current.birthDate, birthDate)
        ? current
        : undefined
    } catch (error) {
      // The credentials may lack the right to read, or a proxy may send the 404 while its server is down: search instead.
      if (error instanceof EhrWriteFailed && error.retry === 'never' && field !== 'fhir_id') return undefined
      throw error
    }
  }

  async function confirm(id: string, key: PatientKey): Promise<ResolvedPatient> {
    const current = await lookAgain(id, key.birthDate)
    return current === undefined ? findAnew(key) : resolved(current.id)
  }

  const noteFound = ({ id }: ResolvedPatient, { digest }: PatientKey) => run.memory.note(patientRole, { id, digest })

  return {
    async find(patient) {
      const key = keyOf(patient)
      const known = await run.memory.read(patientRole)
      if (known?.digest !== key.digest) {
        const found = await lookups.searches(key.digest, () => findAnew(key))
        noteFound(found, key)
        return found
      }
      remembered.set(known.id, key)
      return resolved(known.id)
    },
    async assertCurrent(id) {
      const key = remembered.get(id)
      if (key === undefined) return
      const look = () => confirm(id, key)
      const looking = confirmed.get(id) ?? (run.inDoubt === true ? look() : lookups.looks(`${id} ${key.digest}`, look))
      confirmed.set(id, looking)
      looking.catch(() => confirmed.delete(id))
      const current = await looking
      if (current.id === id) return
      noteFound(current, key)
      throw new PatientMoved(current)
    },
  }
}

/** The search key of a patient, with its digest. */
interface PatientKey {
  number: string
  birthDate: string | undefined
  digest: string
}

/** Whether two dates differ, to their common precision: a chart may hold only year or month. */
function contradicts(held: unknown, sent: string | undefined): boolean {
  if (typeof held !== 'string' || sent === undefined) return false
  return !sent.startsWith(held)
}

function resolved(id: string): ResolvedPatient {
  return { id, reference: { reference: `Patient/${id}`, type: 'Patient' } }
}
