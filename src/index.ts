/** Exports of `#pawl`: everything that handlers and the integration are written against. */
export { defineHandler } from './work/handler.ts'
export type { Effect, EffectStart, EventHint, Handler, HandlerContext } from './work/handler.ts'
export { defineIntegration } from './work/integration.ts'
export type { AnyIntegration, Integration } from './work/integration.ts'
export type { HandlerMemory } from './work/handler-memory.ts'
// As a whole, so that the integration can extend `Register`.
export * from './work/register.ts'
export type {
  BenefitVerificationChanges,
  Change,
  PriorAuthorizationChanges,
  ProviderOutreachChanges,
} from './work/changes.ts'
export { catalog } from './service/events/catalog.ts'
export type { EventType, ResourceOf } from './service/events/catalog.ts'
export type { ProviderOutreach } from './service/schemas/provider-outreach.ts'
export * from './client.ts'
export { ehrFrom } from './connectors/ehr/ehr-from.ts'
export { fhirEhr } from './connectors/ehr/fhir/fhir-ehr.ts'
export { fromMedicationRequest } from './connectors/ehr/fhir/starting/from-medication-request.ts'
export type { ChartOrder, DraftOptions } from './connectors/ehr/fhir/starting/from-medication-request.ts'
export type { RequestDraft, RequestGap } from './service/schemas/request-draft.ts'
export type { ChartResource, ShapeContext, ShapeResource } from './connectors/ehr/fhir/apply-shape.ts'
export { isFileRefusedByChart } from './connectors/ehr/file-refused.ts'
export { EhrWriteFailed } from './connectors/ehr/ehr-write-failed.ts'
export { EncounterNotFound, PractitionerNotFound } from './connectors/ehr/fhir/parties.ts'
export { PatientAmbiguous, PatientNotFound } from './connectors/ehr/patient-not-found.ts'
export type { ChartFile, ChartNote, Ehr, StaffTask, Subject, TaskEnding } from './connectors/ehr/ehr.ts'
export { pharmacyFrom } from './connectors/pharmacy/pharmacy-from.ts'
export { PharmacyWriteFailed } from './connectors/pharmacy/pharmacy-write-failed.ts'
export type { Pharmacy } from './connectors/pharmacy/pharmacy.ts'
export { PharmacyRouteMissing } from './connectors/pharmacy/pharmacy-route-missing.ts'
export { TransferNotice } from './connectors/pharmacy/transfer-notice.ts'
export type { System } from './systems/system.ts'
export type { Log } from './base/log.ts'
