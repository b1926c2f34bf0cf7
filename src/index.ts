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
export { catalog } from 'pawl-client/events/catalog'
export type { EventType, ResourceOf } from 'pawl-client/events/catalog'
export type { ProviderOutreach } from 'pawl-client/schemas/provider-outreach'
export * from 'pawl-client'
export { ehrFrom } from '@pawl/ehr/ehr-from'
export { fhirEhr } from '@pawl/ehr/fhir/fhir-ehr'
export { fromMedicationRequest } from '@pawl/ehr/fhir/starting/from-medication-request'
export type { ChartOrder, DraftOptions } from '@pawl/ehr/fhir/starting/from-medication-request'
export type { RequestDraft, RequestGap } from 'pawl-client/schemas/request-draft'
export type { ChartResource, ShapeContext, ShapeResource } from '@pawl/ehr/fhir/apply-shape'
export { isFileRefusedByChart } from '@pawl/ehr/file-refused'
export { EhrWriteFailed } from '@pawl/ehr/ehr-write-failed'
export { EncounterNotFound, PractitionerNotFound } from '@pawl/ehr/fhir/parties'
export { PatientAmbiguous, PatientNotFound } from '@pawl/ehr/patient-not-found'
export type { ChartFile, ChartNote, Ehr, StaffTask, Subject, TaskEnding } from '@pawl/ehr/ehr'
export { pharmacyFrom } from '@pawl/pharmacy/pharmacy-from'
export { PharmacyWriteFailed } from '@pawl/pharmacy/pharmacy-write-failed'
export type { Pharmacy } from '@pawl/pharmacy/pharmacy'
export { PharmacyRouteMissing } from '@pawl/pharmacy/pharmacy-route-missing'
export { TransferNotice } from '@pawl/pharmacy/transfer-notice'
export type { System } from '@pawl/connector/system'
export type { Log } from '@pawl/base/log'
