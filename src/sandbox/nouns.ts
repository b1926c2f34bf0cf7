import type { Router } from 'express'
import { createBenefitVerifications } from './benefit-verification/benefit-verifications.ts'
import { createClinicalQualifications } from './clinical-qualification/clinical-qualifications.ts'
import type { Core } from './core.ts'
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

/** Every noun of the service. */
export type Nouns = ReturnType<typeof createNouns>

/** Creates every noun of the service. */
export function createNouns(core: Core, { readFileUrl }: { readFileUrl: ReadFileUrl }) {
  const registry = createRegistry(core)
  const providerAuthorizations = createProviderAuthorizations(core, {
    signed: (organizationId, npi) => priorAuthorizations.authorizationSigned(organizationId, npi),
  })
  const isAuthorized = providerAuthorizations.isSigned
  const outreaches = createProviderOutreaches(core, {
    ended: (id, isAnswered) => priorAuthorizations.outreachEnded(id, isAnswered),
  })
  const benefitVerifications = createBenefitVerifications(core, {
    isAuthorized,
    ended: (record) => priorAuthorizations.verificationEnded(record),
  })
  const priorAuthorizations = createPriorAuthorizations(core, {
    benefitVerifications,
    outreaches,
    readFileUrl,
    isActiveNpi: registry.isActive,
    isAuthorized,
    isAuthorizationAsked: providerAuthorizations.isAsked,
  })
  const clinicalQualifications = createClinicalQualifications(core)
  const paStatusChecks = createPaStatusChecks(core)
  const patientEnrollments = createPatientEnrollments(core)
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
export function routesOf(nouns: Nouns, files: Pick<SignedFiles, 'sign'>): Router[] {
  return [
    statusRoutes(),
    benefitVerificationRoutes({ ...nouns, files }),
    clinicalQualificationRoutes({ ...nouns, files }),
    priorAuthorizationRoutes({ ...nouns, files }),
    providerRoutes(nouns),
    patientEnrollmentRoutes(nouns),
    paStatusRoutes(nouns),
  ]
}

/** Run due transitions: by machine name, called with the resource's id. */
export function runnersOf(nouns: Nouns): Record<string, (id: string) => void> {
  return {
    ...nouns.benefitVerifications.runners,
    ...nouns.priorAuthorizations.runners,
    ...nouns.clinicalQualifications.runners,
    ...nouns.providerAuthorizations.runners,
    ...nouns.paStatusChecks.runners,
    ...nouns.outreaches.runners,
  }
}
