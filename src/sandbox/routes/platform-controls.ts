import { Router } from 'express'
import { z } from 'zod'
import { answeringFaults, presetNames, sendingFaults } from '../chaos/settings.ts'
import { policyNames } from '../access/limit-policies.ts'
import type { PlatformControls } from '../platform/controls.ts'
import { validate } from '../platform/validate.ts'
import { compact, success } from '../platform/answer.ts'

const QuotasRequest = z.partialRecord(z.enum(policyNames), z.int().nonnegative())

const chance = z.number().min(0).max(1)

const ChaosRequest = z.strictObject({
  preset: z.enum(presetNames).optional(),
  sending: z.partialRecord(z.enum(sendingFaults), chance).optional(),
  answering: z.partialRecord(z.enum(answeringFaults), chance).optional(),
})

/** 30 years: enough for any authorization to run out. */
const longestAdvanceMs = 30 * 365 * 86_400_000

const ClockRequest = z.strictObject({
  speed: z.number().nonnegative().optional(),
  advance_ms: z.number().nonnegative().max(longestAdvanceMs).optional(),
})

/** Controls over the platform: quotas, chaos, clock. */
export function platformControlRoutes({ controls, seed }: { controls: PlatformControls; seed: number }) {
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

  router.get('/clock', (_req, res) => {
    res.json(success(controls.readClock()))
  })

  router.put('/clock', (req, res) => {
    const { speed, advance_ms } = validate(ClockRequest, req.body)
    res.json(success(controls.setClock(compact({ speed, advanceMs: advance_ms }))))
  })

  router.get('/seed', (_req, res) => {
    res.json(success({ seed }))
  })

  router.get('/organizations', (_req, res) => {
    res.json(success(controls.listOrganizations()))
  })

  router.delete('/organizations/:organization/webhooks/:webhook', (req, res) => {
    const { webhook, organization } = req.params
    res.json(success({ removed: controls.removeWebhook(webhook, organization) }))
  })

  return router
}
