import { Router } from 'express'
import { z } from 'zod'
import type { Controls } from '../controls.ts'
import { policyNames } from '../limits/policies.ts'
import { validate } from '../validate.ts'
import { compact, success } from './answer.ts'

const QuotasRequest = z.partialRecord(z.enum(policyNames), z.int().nonnegative())

/** Controls over the platform: quotas, chaos, clock. */
export function platformControlRoutes({ controls }: { controls: Controls }) {
  const router = Router()

  router.put('/organizations/:organization/quotas', (req, res) => {
    const quotas = compact(validate(QuotasRequest, req.body))
    res.json(success(controls.putQuotas(quotas, req.params.organization)))
  })

  return router
}
