import { Router } from 'express'
import { PatientEnrollmentRequest } from 'pawl-client/schemas/patient-enrollment'
import type { PatientEnrollments } from './patient-enrollments.ts'
import { validate } from '../platform/validate.ts'
import { organizationOf } from '../access/authenticate-token.ts'

/** Enrollment. Its separate host is the path prefix `/enrollment` here (specification, Endpoint rules). Its answer is not documented; the sandbox answers as for any creation. */
export function patientEnrollmentRoutes({ patientEnrollments }: { patientEnrollments: PatientEnrollments }) {
  const router = Router()
  router.post('/enrollment/patient-enrollment', (req, res) => {
    const { id } = patientEnrollments.create(organizationOf(res), validate(PatientEnrollmentRequest, req.body))
    res.json({ status: 'success', data: { id } })
  })
  return router
}
