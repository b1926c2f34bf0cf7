import { Router } from 'express'
import { BenefitVerificationRequest } from '../../resources/requests/benefit-verification.ts'
import type { BenefitVerifications } from '../benefit-verification/benefit-verifications.ts'
import { validate } from '../validate.ts'
import { organizationOf } from './auth.ts'

/** The BV endpoints (specification, Endpoints). */
export function benefitVerificationRoutes({ benefitVerifications }: { benefitVerifications: BenefitVerifications }) {
  const router = Router()

  router.post('/benefit-verification', async (req, res) => {
    const request = validate(BenefitVerificationRequest, req.body)
    const { id } = await benefitVerifications.create(organizationOf(res), request)
    res.json({ status: 'success', data: { id } })
  })

  router.get('/benefit-verification/:id', (req, res) => {
    const { resource } = benefitVerifications.getOwn(req.params.id, organizationOf(res))
    res.json({ status: 'success', data: resource })
  })

  router.post('/benefit-verification/:id/cancel', (req, res) => {
    benefitVerifications.cancel(benefitVerifications.getOwn(req.params.id, organizationOf(res)))
    res.status(204).end()
  })

  return router
}
