import { systemClock } from '@pawl/base/clock'
import { leanFetch } from '@pawl/base/net/fetch'
import type { Patient } from 'pawl-client/schemas/people'
import type { CheckReport, CheckSample, RunContext, System } from '@pawl/connector/system'
import { noRun } from '@pawl/connector/exchange'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import { PatientAmbiguous, PatientNotFound } from '../patient-not-found.ts'
import { patientScopes } from './auth/least-scopes.ts'
import { tokenProviderFrom } from './auth/token-provider-from.ts'
import { createChartClient } from './chart-client.ts'
import type { StoredResource } from './stored-resource.ts'
import { forgetful } from './forgetful.ts'
import { createPatientResolver, createPatientLookups, PatientMoved, patientRole } from './patient-resolver.ts'
import type { FhirSettings } from './settings.ts'
import { createChartDrafts, startingScopes } from './starting/chart-drafts.ts'

/** The parts of a run that a search needs. */
export type FindRun = Pick<
  RunContext,
  'resourceId' | 'signal' | 'memory' | 'digest' | 'inDoubt' | 'assertMayAct' | 'remainingMs' | 'beginRequest'
>

/** The patients of a FHIR server, for a connector that writes by another way. */
export interface ChartPatients extends Pick<System<object>, 'publicKeys' | 'patientRole' | 'draft'> {
  /** The field of requests by which patients are found. */
  field: 'internal_id' | 'mrn'
  /** The patient's current record. Throws `PatientNotFound`, `PatientAmbiguous` and `EhrWriteFailed`. */
  find(this: void, patient: Patient | undefined, run: FindRun): Promise<StoredResource>
  /** Whether the server answers, and knows the sample's patient. */
  check(this: void, signal: AbortSignal, sample?: CheckSample): Promise<CheckReport>
}

/** Time limit of one request, in milliseconds. */
const timeoutMs = 15_000

export function createChartPatients(
  baseUrl: string,
  settings: FhirSettings & { FHIR_IDENTIFIER_BASE: string },
): ChartPatients {
  const { tokens, publicKeys } = tokenProviderFrom(baseUrl, settings, patientScopes)
  const { FHIR_PATIENT_FIELD: given = 'internal_id', FHIR_PATIENT_SYSTEM: system } = settings
  const options = { field: given, system, checksBirthDate: settings.FHIR_PATIENT_CHECK_BIRTH_DATE ?? true }
  const field = given === 'mrn' ? 'mrn' : 'internal_id'
  const deps = { baseUrl, tokens, fetch: leanFetch, clock: systemClock, timeoutMs }
  const lookups = createPatientLookups(systemClock)

  async function find(patient: Patient | undefined, run: FindRun): Promise<StoredResource> {
    // Only answers of the system that takes the writes prove that it is back.
    const beginRequest = (kind: string) => {
      run.beginRequest(kind)
      return { answered() {} }
    }
    const client = createChartClient(deps, { ...run, beginRequest })
    const resolver = createPatientResolver(options, { client, run, lookups })
    let { id } = await resolver.find(patient)
    try {
      await resolver.assertCurrent(id)
    } catch (error) {
      if (!(error instanceof PatientMoved)) throw error
      id = error.to.id
    }
    const record = await client.read('Patient', id)
    if (record === undefined) throw new PatientNotFound("The chart's patient is gone.")
    return record
  }

  return {
    field,
    publicKeys,
    patientRole,
    draft: createChartDrafts({
      ...deps,
      tokens: tokenProviderFrom(baseUrl, settings, startingScopes).tokens,
      patient: options,
      identifierBase: settings.FHIR_IDENTIFIER_BASE,
    }),
    find,
    async check(signal, sample) {
      const number = sample?.patient
      const run = {
        resourceId: 'no resource',
        ...forgetful,
        ...noRun(signal, timeoutMs),
      }
      try {
        if (number === undefined) {
          await createChartClient(deps, run).metadata()
          return { ok: true, findings: ['FHIR_BASE_URL answers; --patient tries whether it finds a patient.'] }
        }
        // A sample has no birth date.
        await find({ [field]: number }, run)
        return { ok: true, findings: ['FHIR finds the test patient.'] }
      } catch (error) {
        const isExpected =
          error instanceof EhrWriteFailed || error instanceof PatientNotFound || error instanceof PatientAmbiguous
        if (!isExpected) throw error
        return { ok: false, findings: [error instanceof EhrWriteFailed ? error.message : error.missing] }
      }
    },
  }
}
