import { documents } from './kinds.ts'
import { type Shape, shapeOf } from './shape.ts'
import { BenefitVerificationRequest } from './benefit-verification.ts'
import { ClinicalQualificationRequest } from './clinical-qualification.ts'
import { PaStatusRequest } from './pa-status.ts'
import { PatientEnrollmentRequest } from './patient-enrollment.ts'
import {
  FeedbackRequest,
  NdpSubmissionUpdateRequest,
  PriorAuthorizationCancelRequest,
  PriorAuthorizationRequest,
} from './prior-authorization-request.ts'
import { ProviderAuthorizationRequest, ProviderLookupRequest } from './provider.ts'

/** Replaces an undocumented code or name, which may be any text. */
export const undocumented = '?'

const ofRequests = [
  BenefitVerificationRequest,
  ClinicalQualificationRequest,
  FeedbackRequest,
  NdpSubmissionUpdateRequest,
  PaStatusRequest,
  PatientEnrollmentRequest,
  PriorAuthorizationCancelRequest,
  PriorAuthorizationRequest,
  ProviderAuthorizationRequest,
  ProviderLookupRequest,
] as const

const fields = new Set<string>()
const codes = new Map<string, Set<string>>()
const loggable = new Set<string>()

/** Paths of the fields whose values may be logged and reported. */
export const loggableFields: ReadonlySet<string> = loggable

/** Collects field names, and codes by path. */
function collect(shape: Shape, path: string): void {
  if (shape.of === 'code') codes.set(path, new Set([...(codes.get(path) ?? []), ...shape.values]))
  if (shape.of === 'list') collect(shape.item, `${path}[]`)
  if (shape.of === 'object')
    for (const [name, field] of shape.fields) {
      const place = path === '' ? name : `${path}.${name}`
      fields.add(name)
      if (shape.loggable.has(name)) loggable.add(place)
      collect(field, place)
    }
}

for (const schema of [...Object.values(documents), ...ofRequests]) collect(shapeOf(schema), '')

/** Whether a resource or request of the service has a field with this name. */
export function isDocumentedField(name: string): boolean {
  return fields.has(name)
}

/** Whether the interface documents this code for the field at this path of a resource, such as `outcome.detail_code`. */
export function isDocumentedCode(path: string, code: string): boolean {
  return codes.get(path)?.has(code) === true
}
