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

/** In place of a code or a name that the service's interface does not document: it might be any text. */
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
const told = new Set<string>()

/** The fields of a resource whose values may be told, by path. */
export const toldFields: ReadonlySet<string> = told

/** Collects the names of fields, and the codes by the path that they stand at. */
function collect(shape: Shape, path: string): void {
  if (shape.of === 'code') codes.set(path, new Set([...(codes.get(path) ?? []), ...shape.values]))
  if (shape.of === 'list') collect(shape.item, `${path}[]`)
  if (shape.of === 'object')
    for (const [name, field] of shape.fields) {
      const place = path === '' ? name : `${path}.${name}`
      fields.add(name)
      if (shape.told.has(name)) told.add(place)
      collect(field, place)
    }
}

for (const schema of [...Object.values(documents), ...ofRequests]) collect(shapeOf(schema), '')

/** Whether some resource or request of the service has a field of this name. */
export function isDocumentedField(name: string): boolean {
  return fields.has(name)
}

/** Whether the interface documents this code for the field at this path of a resource, such as `outcome.detail_code`. */
export function isDocumentedCode(path: string, code: string): boolean {
  return codes.get(path)?.has(code) === true
}
