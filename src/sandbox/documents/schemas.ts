import type { z } from 'zod'
import { BenefitVerificationRequest } from '../../resources/requests/benefit-verification.ts'
import { ClinicalQualificationRequest } from '../../resources/requests/clinical-qualification.ts'
import * as evidence from '../../resources/requests/evidence.ts'
import { MockResultRequest } from '../../resources/requests/mock-result.ts'
import { PaStatusRequest } from '../../resources/requests/pa-status.ts'
import { PatientEnrollmentRequest } from '../../resources/requests/patient-enrollment.ts'
import * as people from '../../resources/requests/people.ts'
import * as authorization from '../../resources/requests/prior-authorization.ts'
import { ProviderAuthorizationRequest, ProviderLookupRequest } from '../../resources/requests/provider.ts'
import { BenefitVerificationResource, VerifiedDrug } from '../benefit-verification/resource.ts'
import { ClinicalQualificationResource } from '../clinical-qualification/resource.ts'
import { InsuranceRecord } from '../files/insurance-records.ts'
import { PaStatusCheck } from '../pa-status/resource.ts'
import { DetailError, ValidationError } from '../platform/refusal.ts'
import * as priorAuthorization from '../prior-authorization/resource.ts'
import { ProviderOutreachResource } from '../provider-outreach/resource.ts'
import { AuthorizedProvider, ProviderLookup } from '../provider/resource.ts'
import * as others from './other-answers.ts'

/** Request bodies: closed, since the sandbox refuses unknown fields. The schemas that requests are validated with. */
export const requestSchemas = {
  BenefitVerificationRequest,
  ClinicalQualificationRequest,
  PriorAuthorizationRequest: authorization.PriorAuthorizationRequest,
  PriorAuthorizationCancelRequest: authorization.PriorAuthorizationCancelRequest,
  FeedbackRequest: authorization.FeedbackRequest,
  NdpSubmissionUpdateRequest: authorization.NdpSubmissionUpdateRequest,
  ProviderAuthorizationRequest,
  ProviderLookupRequest,
  PatientEnrollmentRequest,
  PaStatusRequest,
} as const satisfies Record<string, z.ZodType>
export type RequestName = keyof typeof requestSchemas

/** Answers: open, since fields can be added at any time. */
export const answerSchemas = {
  PriorAuthorization: priorAuthorization.PriorAuthorizationResource,
  BenefitVerification: BenefitVerificationResource,
  ClinicalQualification: ClinicalQualificationResource,
  Created: others.Created,
  CreatedPriorAuthorization: others.CreatedPriorAuthorization,
  NdpSubmissionUpdate: others.NdpSubmissionUpdate,
  ServiceStatus: others.ServiceStatus,
  AuthorizedProvider: AuthorizedProvider,
  ProviderLookup: ProviderLookup,
  PaStatusCheck: PaStatusCheck,
  ProviderOutreach: ProviderOutreachResource,
  InsuranceRecord: InsuranceRecord,
  Outcome: priorAuthorization.Outcome,
  Message: priorAuthorization.Message,
  Activity: priorAuthorization.Activity,
  PrescriptionTransfer: priorAuthorization.PrescriptionTransfer,
  VerifiedDrug: VerifiedDrug,
  CodedError: others.CodedError,
  DetailError: DetailError,
  ValidationError: ValidationError,
} as const satisfies Record<string, z.ZodType>
export type AnswerName = keyof typeof answerSchemas

/** Schemas of requests and answers alike; closed like requests. */
const sharedSchemas = {
  Patient: people.PatientRequest,
  PatientAddress: people.PatientAddress,
  ProviderAddress: people.PartialAddress,
  Provider: people.ProviderRequest,
  Prescriber: authorization.PrescriberRequest,
  Diagnosis: people.DiagnosisRequest,
  InsuranceCard: people.InsuranceCardRequest,
  InsuranceContent: people.InsuranceContentRequest,
  Asset: evidence.AssetRequest,
  Evidence: evidence.EvidenceRequest,
  ClinicalEvidence: evidence.ClinicalEvidenceRequest,
  Questionnaire: evidence.QuestionnaireRequest,
  VisitNote: evidence.VisitNoteRequest,
  AppealDetails: evidence.AppealDetailsRequest,
  Prescription: authorization.NamedPrescription,
  CodedPrescription: authorization.CodedPrescription,
  NdpSubmission: authorization.NdpSubmissionRequest,
  MockResult: MockResultRequest,
} as const satisfies Record<string, z.ZodType>

/** Every named schema. */
export const namedSchemas = { ...sharedSchemas, ...requestSchemas, ...answerSchemas }
export type SchemaName = keyof typeof namedSchemas
