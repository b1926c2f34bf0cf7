import type { System } from '@pawl/connector/system'
import { noRun } from '@pawl/connector/exchange'
import { type ChartClientDeps, createChartClient } from '../chart-client.ts'
import type { PatientOptions } from '../patient-resolver.ts'
import { fromMedicationRequest } from './from-medication-request.ts'
import { readChartOrder } from './read-chart-order.ts'

const types = [
  'Patient',
  'MedicationRequest',
  'Medication',
  'Practitioner',
  'PractitionerRole',
  'Condition',
  'Coverage',
]

/** Scopes of SMART 2 for the types that a draft reads. */
export const startingScopes = types.map((type) => `system/${type}.rs`).join(' ')

export interface ChartDraftsDeps extends ChartClientDeps {
  patient: PatientOptions
  /** Base of the identifier systems of everything that pawl writes. */
  identifierBase: string
}

/** Drafts requests from the prescriptions of a FHIR server. Throws `EhrWriteFailed`. */
export function createChartDrafts({
  patient: patientNumber,
  identifierBase,
  ...deps
}: ChartDraftsDeps): NonNullable<System<object>['draft']> {
  const base = identifierBase.replace(/\/+$/, '')
  return async ({ kind, prescription, given }, signal) => {
    const run = { resourceId: 'a new request', ...noRun(signal, deps.timeoutMs) }
    const order = await readChartOrder(createChartClient({ ...deps, isForDrafts: true }, run), prescription, base)
    return order && fromMedicationRequest({ kind, ...order }, { given, patientNumber, at: new Date(deps.clock.now()) })
  }
}
