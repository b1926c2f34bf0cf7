import { Router } from 'express'
import { z } from 'zod'
import type { Controls } from '../controls.ts'
import { validate } from '../platform/validate.ts'
import { compact, success } from '../platform/answer.ts'

const ActivityRequest = z.strictObject({
  type: z.enum(['sent_fax', 'received_fax', 'follow_up_call']),
  notes: z.string().min(1).optional(),
})

const TransferRequest = z.strictObject({ state: z.string().min(1) })

/** Controls over what belongs to a PA besides its status. */
export function priorAuthorizationControlRoutes({ controls }: { controls: Controls }) {
  const router = Router()

  router.post('/prior-authorization/:id/activities', (req, res) => {
    const id = controls.addActivity(req.params.id, compact(validate(ActivityRequest, req.body)))
    res.json(success({ id }))
  })

  router.post('/prior-authorization/:id/transfer', (req, res) => {
    controls.pushTransfer(req.params.id, validate(TransferRequest, req.body).state)
    res.json({ status: 'success' })
  })

  router.post('/prior-authorization/:id/benefits-check', (req, res) => {
    controls.pushBenefitsCheck(req.params.id)
    res.json({ status: 'success' })
  })

  router.get('/prior-authorization/:id/outreach', (req, res) => {
    res.json(success(controls.outreach(req.params.id)))
  })

  return router
}
