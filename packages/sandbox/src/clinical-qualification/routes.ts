import { Router } from 'express'
import { ClinicalQualificationRequest } from 'pawl-client/schemas/clinical-qualification'
import type { ClinicalQualifications } from './clinical-qualifications.ts'
import { baseOf, type SignedFiles } from '../files/signed-files.ts'
import { validateWithFiles } from '../files/validate-with-files.ts'
import { organizationOf } from '../access/authenticate-token.ts'

/** The clinical qualification endpoints (specification, Endpoints). */
export function clinicalQualificationRoutes(deps: {
  clinicalQualifications: ClinicalQualifications
  files: Pick<SignedFiles, 'sign'>
}) {
  const { clinicalQualifications, files } = deps
  const router = Router()

  router.post('/clinical-qualification', async (req, res) => {
    const request = await validateWithFiles(ClinicalQualificationRequest, req.body, { cardsOf: 'other' })
    const { id } = await clinicalQualifications.create(organizationOf(res), request)
    res.json({ status: 'success', data: { id } })
  })

  router.get('/clinical-qualification/:id', (req, res) => {
    const { resource } = clinicalQualifications.getOwn(req.params.id, organizationOf(res))
    res.json({ status: 'success', data: files.sign(resource, baseOf(req)) })
  })

  return router
}
