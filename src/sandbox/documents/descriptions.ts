import * as benefitVerification from './descriptions/benefit-verification.ts'
import * as clinicalQualification from './descriptions/clinical-qualification.ts'
import { PatientEnrollmentRequest } from './descriptions/enrollment.ts'
import * as envelopes from './descriptions/envelopes.ts'
import * as evidence from './descriptions/evidence.ts'
import type { FieldTexts } from './descriptions/field-text.ts'
import * as paStatus from './descriptions/pa-status.ts'
import * as people from './descriptions/people.ts'
import * as priorAuthorization from './descriptions/prior-authorization.ts'
import * as request from './descriptions/prior-authorization-request.ts'
import * as provider from './descriptions/provider.ts'
import { initialOutreach, ProviderOutreach } from './descriptions/provider-outreach.ts'
import type { SchemaName } from './schemas.ts'

/** The texts of every property of every named schema. */
export const descriptions: Record<SchemaName, FieldTexts> = {
  Patient: people.Patient,
  PatientAddress: people.PatientAddress,
  ProviderAddress: people.ProviderAddress,
  Provider: people.Provider,
  Prescriber: people.Prescriber,
  Diagnosis: people.Diagnosis,
  InsuranceCard: people.InsuranceCard,
  InsuranceContent: people.InsuranceContent,
  InsuranceRecord: people.InsuranceRecord,
  Asset: evidence.Asset,
  Evidence: evidence.Evidence,
  ClinicalEvidence: evidence.ClinicalEvidence,
  Questionnaire: evidence.Questionnaire,
  VisitNote: evidence.VisitNote,
  AppealDetails: evidence.AppealDetails,
  Prescription: request.Prescription,
  CodedPrescription: request.CodedPrescription,
  NdpSubmission: request.NdpSubmission,
  MockResult: request.MockResult,
  PriorAuthorizationRequest: request.PriorAuthorizationRequest,
  PriorAuthorizationCancelRequest: request.PriorAuthorizationCancelRequest,
  FeedbackRequest: request.FeedbackRequest,
  NdpSubmissionUpdateRequest: request.NdpSubmissionUpdateRequest,
  PriorAuthorization: priorAuthorization.PriorAuthorization,
  Outcome: priorAuthorization.Outcome,
  Message: priorAuthorization.Message,
  Activity: priorAuthorization.Activity,
  PrescriptionTransfer: priorAuthorization.PrescriptionTransfer,
  BenefitVerificationRequest: benefitVerification.BenefitVerificationRequest,
  BenefitVerification: benefitVerification.BenefitVerification,
  VerifiedDrug: benefitVerification.VerifiedDrug,
  ClinicalQualificationRequest: clinicalQualification.ClinicalQualificationRequest,
  ClinicalQualification: clinicalQualification.ClinicalQualification,
  ProviderAuthorizationRequest: provider.ProviderAuthorizationRequest,
  ProviderLookupRequest: provider.ProviderLookupRequest,
  AuthorizedProvider: provider.AuthorizedProvider,
  ProviderLookup: provider.ProviderLookup,
  PatientEnrollmentRequest,
  PaStatusRequest: paStatus.PaStatusRequest,
  PaStatusCheck: paStatus.PaStatusCheck,
  ProviderOutreach,
  Created: envelopes.Created,
  CreatedPriorAuthorization: { ...envelopes.Created, ...initialOutreach },
  NdpSubmissionUpdate: envelopes.NdpSubmissionUpdate,
  ServiceStatus: envelopes.ServiceStatus,
  CodedError: envelopes.CodedError,
  DetailError: envelopes.DetailError,
  ValidationError: envelopes.ValidationError,
}
