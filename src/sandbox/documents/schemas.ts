import type { z } from 'zod'
import * as answers from '../../service/schemas/answers.ts'
import * as benefitVerification from '../../service/schemas/benefit-verification.ts'
import * as clinical from '../../service/schemas/clinical-content.ts'
import {
  ClinicalQualificationRequest,
  ClinicalQualificationResource,
} from '../../service/schemas/clinical-qualification.ts'
import * as errors from '../../service/schemas/documented-errors.ts'
import * as insurance from '../../service/schemas/insurance.ts'
import { MockResultRequest, ShownOutcome } from '../../service/schemas/outcome.ts'
import { PaStatusRequest, PaStatusResource } from '../../service/schemas/pa-status.ts'
import { PatientEnrollmentRequest } from '../../service/schemas/patient-enrollment.ts'
import * as people from '../../service/schemas/people.ts'
import * as request from '../../service/schemas/prior-authorization-request.ts'
import * as priorAuthorization from '../../service/schemas/prior-authorization.ts'
import { ProviderOutreachResource } from '../../service/schemas/provider-outreach.ts'
import * as provider from '../../service/schemas/provider.ts'

/** Schemas that validate requests; closed, since the sandbox refuses unknown fields. */
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

/** Schemas of answers; open, since fields can be added at any time. */
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
