import { Router } from 'express'
import { BenefitVerificationRequest } from 'pawl-client/schemas/benefit-verification'
import type { BenefitVerifications } from './benefit-verifications.ts'
import { baseOf, type SignedFiles } from '../files/signed-files.ts'
import { validateWithFiles } from '../files/validate-with-files.ts'
import { organizationOf } from '../access/authenticate-token.ts'

/** The BV endpoints (specification, Endpoints). */
export function benefitVerificationRoutes(deps: {
  benefitVerifications: BenefitVerifications
  files: Pick<SignedFiles, 'sign'>
}) {
  const { benefitVerifications, files } = deps
  const router = Router()

  router.post('/benefit-verification', async (req, res) => {
    const rules = { cardsOf: 'benefit_verification' } as const
    const request = await validateWithFiles(BenefitVerificationRequest, req.body, rules)
    const { id } = await benefitVerifications.create(organizationOf(res), request)
    res.json({ status: 'success', data: { id } })
  })

  router.get('/benefit-verification/:id', (req, res) => {
    const { resource } = benefitVerifications.getOwn(req.params.id, organizationOf(res))
    res.json({ status: 'success', data: files.sign(resource, baseOf(req)) })
  })

  router.post('/benefit-verification/:id/cancel', (req, res) => {
    benefitVerifications.cancel(benefitVerifications.getOwn(req.params.id, organizationOf(res)))
    res.status(204).end()
  })

  return router
}
