import type { Router } from 'express'
import { createBenefitVerifications } from './benefit-verification/benefit-verifications.ts'
import { createClinicalQualifications } from './clinical-qualification/clinical-qualifications.ts'
import type { Platform } from './platform.ts'
import type { ReadFileUrl } from './files/request-files.ts'
import type { SignedFiles } from './files/signed-files.ts'
import { createPatientEnrollments } from './patient-enrollment/patient-enrollments.ts'
import { createPaStatusChecks } from './pa-status/pa-status-checks.ts'
import { createPriorAuthorizations } from './prior-authorization/prior-authorizations.ts'
import { createProviderAuthorizations } from './provider/provider-authorizations.ts'
import { createProviderOutreaches } from './provider-outreach/provider-outreaches.ts'
import { createRegistry } from './provider/registry.ts'
import { benefitVerificationRoutes } from './benefit-verification/routes.ts'
import { clinicalQualificationRoutes } from './clinical-qualification/routes.ts'
import { paStatusRoutes } from './pa-status/routes.ts'
import { patientEnrollmentRoutes } from './patient-enrollment/routes.ts'
import { priorAuthorizationRoutes } from './prior-authorization/routes.ts'
import { providerRoutes } from './provider/routes.ts'
import { statusRoutes } from './status/routes.ts'

/** Every kind of resource of the service. */
export type ResourceKinds = ReturnType<typeof createResourceKinds>

export function createResourceKinds(platform: Platform, { readFileUrl }: { readFileUrl: ReadFileUrl }) {
  const registry = createRegistry(platform)
  const providerAuthorizations = createProviderAuthorizations(platform, {
    signed: (organizationId, npi) => priorAuthorizations.authorizationSigned(organizationId, npi),
  })
  const isAuthorized = providerAuthorizations.isSigned
  const outreaches = createProviderOutreaches(platform, {
    ended: (id, isAnswered) => priorAuthorizations.outreachEnded(id, isAnswered),
  })
  const benefitVerifications = createBenefitVerifications(platform, {
    isAuthorized,
    ended: (record) => priorAuthorizations.verificationEnded(record),
  })
  const priorAuthorizations = createPriorAuthorizations(platform, {
    benefitVerifications,
    outreaches,
    readFileUrl,
    isActiveNpi: registry.isActive,
    isAuthorized,
    isAuthorizationAsked: providerAuthorizations.isAsked,
  })
  const clinicalQualifications = createClinicalQualifications(platform)
  const paStatusChecks = createPaStatusChecks(platform)
  const patientEnrollments = createPatientEnrollments(platform)
  return {
    registry,
    providerAuthorizations,
    outreaches,
    benefitVerifications,
    priorAuthorizations,
    clinicalQualifications,
    paStatusChecks,
    patientEnrollments,
  }
}

/** The endpoints of the service. */
export function routesOf(kinds: ResourceKinds, files: Pick<SignedFiles, 'sign'>): Router[] {
  return [
    statusRoutes(),
    benefitVerificationRoutes({ ...kinds, files }),
    clinicalQualificationRoutes({ ...kinds, files }),
    priorAuthorizationRoutes({ ...kinds, files }),
    providerRoutes(kinds),
    patientEnrollmentRoutes(kinds),
    paStatusRoutes(kinds),
  ]
}

/** By machine name: runs the due transition of a resource by id, and returns the entered state. */
export function runnersOf(kinds: ResourceKinds): Record<string, (id: string) => string | undefined> {
  return {
    ...kinds.benefitVerifications.runners,
    ...kinds.priorAuthorizations.runners,
    ...kinds.clinicalQualifications.runners,
    ...kinds.providerAuthorizations.runners,
    ...kinds.paStatusChecks.runners,
    ...kinds.outreaches.runners,
  }
}
