import type { z } from 'zod'
import * as answers from 'pawl-client/schemas/answers'
import * as benefitVerification from 'pawl-client/schemas/benefit-verification'
import * as clinical from 'pawl-client/schemas/clinical-content'
import { ClinicalQualificationRequest, ClinicalQualificationResource } from 'pawl-client/schemas/clinical-qualification'
import * as errors from 'pawl-client/schemas/documented-errors'
import * as insurance from 'pawl-client/schemas/insurance'
import { MockResultRequest, ShownOutcome } from 'pawl-client/schemas/outcome'
import { PaStatusRequest, PaStatusResource } from 'pawl-client/schemas/pa-status'
import { PatientEnrollmentRequest } from 'pawl-client/schemas/patient-enrollment'
import * as people from 'pawl-client/schemas/people'
import * as request from 'pawl-client/schemas/prior-authorization-request'
import * as priorAuthorization from 'pawl-client/schemas/prior-authorization'
import { ProviderOutreachResource } from 'pawl-client/schemas/provider-outreach'
import * as provider from 'pawl-client/schemas/provider'

/** Schemas that validate requests; closed, because the sandbox refuses unknown fields. */
const requestSchemas = {
  BenefitVerificationRequest: benefitVerification.BenefitVerificationRequest,
  ClinicalQualificationRequest,
  PriorAuthorizationRequest: request.PriorAuthorizationRequest,
  PriorAuthorizationCancelRequest: request.PriorAuthorizationCancelRequest,
  FeedbackRequest: request.FeedbackRequest,
  NdpSubmissionUpdateRequest: request.NdpSubmissionUpdateRequest,
  ProviderAuthorizationRequest: provider.ProviderAuthorizationRequest,
  ProviderLookupRequest: provider.ProviderLookupRequest,
  PatientEnrollmentRequest,
  PaStatusRequest,
} as const satisfies Record<string, z.ZodType>
export type RequestName = keyof typeof requestSchemas

/** Schemas of answers; open, because fields may be added at any time. */
export const answerSchemas = {
  PriorAuthorization: priorAuthorization.PriorAuthorizationResource,
  BenefitVerification: benefitVerification.BenefitVerificationResource,
  ClinicalQualification: ClinicalQualificationResource,
  Created: answers.CreatedAnswer,
  CreatedPriorAuthorization: answers.CreatedPriorAuthorization,
  NdpSubmissionUpdate: answers.NdpSubmissionUpdate,
  ServiceStatus: answers.ServiceStatus,
  AuthorizedProvider: provider.SignedProvider,
  ProviderLookup: provider.ProviderLookupAnswer,
  PaStatusCheck: PaStatusResource,
  ProviderOutreach: ProviderOutreachResource,
  InsuranceRecord: insurance.ShownInsurance,
  ScannedContent: insurance.ScannedContent,
  Outcome: ShownOutcome,
  Message: priorAuthorization.ShownMessage,
  Activity: priorAuthorization.ShownActivity,
  PrescriptionTransfer: priorAuthorization.ShownTransfer,
  VerifiedDrug: benefitVerification.VerifiedDrug,
  CodedError: errors.CodedError,
  DetailError: errors.DetailError,
  ValidationError: errors.ValidationError,
} as const satisfies Record<string, z.ZodType>
export type AnswerName = keyof typeof answerSchemas

/** Schemas shared by requests and answers; closed like requests. */
const sharedSchemas = {
  Patient: people.PatientRequest,
  PatientAddress: people.PatientAddress,
  ProviderAddress: people.PartialAddress,
  Provider: people.ProviderRequest,
  Prescriber: people.PrescriberRequest,
  Diagnosis: people.DiagnosisRequest,
  InsuranceCard: insurance.InsuranceCardRequest,
  InsuranceContent: insurance.InsuranceContentRequest,
  Asset: clinical.AssetRequest,
  Evidence: clinical.EvidenceRequest,
  ClinicalEvidence: clinical.ClinicalEvidenceRequest,
  Questionnaire: clinical.QuestionnaireRequest,
  VisitNote: clinical.VisitNoteRequest,
  AppealDetails: clinical.AppealDetailsRequest,
  Prescription: request.NamedPrescription,
  CodedPrescription: request.CodedPrescription,
  NdpSubmission: request.NdpSubmissionRequest,
  MockResult: MockResultRequest,
} as const satisfies Record<string, z.ZodType>

export const namedSchemas = { ...sharedSchemas, ...requestSchemas, ...answerSchemas }
