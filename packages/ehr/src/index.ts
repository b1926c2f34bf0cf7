/** `@pawl/ehr`: connectors to charts, for an integration and its handlers. */
import { athenaSettings } from './athena/settings.ts'
import { fhirSettings } from './fhir/settings.ts'
import { hl7Settings } from './hl7/settings.ts'

/** The settings of `ehrFrom`; `fhirEhr` needs `fhirSettings` alone. */
export const ehrSettings = { ...fhirSettings, ...hl7Settings, ...athenaSettings }

export { fhirSettings }
export { ehrFrom } from './ehr-from.ts'
export { fhirEhr } from './fhir/fhir-ehr.ts'
export { fromMedicationRequest } from './fhir/starting/from-medication-request.ts'
export type { ChartOrder, DraftOptions } from './fhir/starting/from-medication-request.ts'
export type { ChartResource, ShapeContext, ShapeResource } from './fhir/apply-shape.ts'
export { isFileRefusedByChart } from './file-refused.ts'
export { EhrWriteFailed } from './ehr-write-failed.ts'
export { EncounterNotFound, PractitionerNotFound } from './fhir/parties.ts'
export { PatientAmbiguous, PatientNotFound } from './patient-not-found.ts'
export type { ChartFile, ChartNote, Ehr, StaffTask, Subject, TaskEnding, UnfiledFile } from './ehr.ts'
