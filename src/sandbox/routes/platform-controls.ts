import { Router } from 'express'
import { z } from 'zod'
import { answeringFaults, presetNames, sendingFaults } from '../chaos/settings.ts'
import type { Controls } from '../controls.ts'
import { policyNames } from '../limits/policies.ts'
import { validate } from '../validate.ts'
import { compact, success } from './answer.ts'

const QuotasRequest = z.partialRecord(z.enum(policyNames), z.int().nonnegative())

const chance = z.number().min(0).max(1)

const ChaosRequest = z.strictObject({
  preset: z.enum(presetNames).optional(),
  sending: z.partialRecord(z.enum(sendingFaults), chance).optional(),
  answering: z.partialRecord(z.enum(answeringFaults), chance).optional(),
})

/** Controls over the platform: quotas, chaos, clock. */
export function platformControlRoutes({ controls }: { controls: Controls }) {
  const router = Router()

  router.put('/organizations/:organization/quotas', (req, res) => {
    const quotas = compact(validate(QuotasRequest, req.body))
    res.json(success(controls.putQuotas(quotas, req.params.organization)))
  })

  router.get('/chaos', (_req, res) => {
    res.json(success(controls.readChaos()))
  })

  router.put('/chaos', (req, res) => {
    const { preset, ...settings } = validate(ChaosRequest, req.body ?? {})
    res.json(success(controls.setChaos(preset ?? compact(settings))))
  })

  return router
}
