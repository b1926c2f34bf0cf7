import { Router } from 'express'
import { ClinicalQualificationRequest } from '../../resources/requests/clinical-qualification.ts'
import type { ClinicalQualifications } from '../clinical-qualification/clinical-qualifications.ts'
import { validate } from '../validate.ts'
import { organizationOf } from './auth.ts'

/** The clinical qualification endpoints (specification, Endpoints). */
export function clinicalQualificationRoutes(deps: { clinicalQualifications: ClinicalQualifications }) {
  const { clinicalQualifications } = deps
  const router = Router()

  router.post('/clinical-qualification', async (req, res) => {
    const request = validate(ClinicalQualificationRequest, req.body)
    const { id } = await clinicalQualifications.create(organizationOf(res), request)
    res.json({ status: 'success', data: { id } })
  })

  router.get('/clinical-qualification/:id', (req, res) => {
    const { resource } = clinicalQualifications.getOwn(req.params.id, organizationOf(res))
    res.json({ status: 'success', data: resource })
  })

  return router
}
