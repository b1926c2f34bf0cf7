import { Router } from 'express'
import { z } from 'zod'
import { compact, success } from '../platform/answer.ts'
import { validate } from '../platform/validate.ts'
import type { NewActivity, NewMessage } from './history.ts'
import type { PriorAuthorizations } from './prior-authorizations.ts'

/** Controls over what belongs to a PA besides its status. */
export interface PriorAuthorizationControls {
  /** Adds a message to the PA's thread, emits `prior_authorization.message`, and returns the message's id. */
  addMessage(priorAuthorizationId: string, message: NewMessage): string
  /** Adds an entry to the PA's activity log, emits `prior_authorization.activity_log_updated`, and returns the entry's id. */
  addActivity(priorAuthorizationId: string, activity: NewActivity): string
  /** The review step of the non-delegated workflow: `awaiting_review` to `awaiting_outcome`. */
  review(priorAuthorizationId: string): void
  /** Moves the PA's prescription transfer to a legal next state at once; its states are those of the table, `confirmed` for example. */
  pushTransfer(priorAuthorizationId: string, state: string): void
  /** Completes the PA's real-time benefits check at once. */
  pushBenefitsCheck(priorAuthorizationId: string): void
}

/** Creates the controls over PAs. */
export function priorAuthorizationControls(priorAuthorizations: PriorAuthorizations): PriorAuthorizationControls {
  const { get } = priorAuthorizations
  return {
    addMessage: (id, message) => priorAuthorizations.addMessage(get(id), message),
    addActivity: (id, activity) => priorAuthorizations.addActivity(get(id), activity),
    review: (id) => priorAuthorizations.review(get(id)),
    pushTransfer: (id, state) => priorAuthorizations.pushTransfer(get(id), state),
    pushBenefitsCheck: (id) => priorAuthorizations.pushBenefitsCheck(get(id)),
  }
}

const text = z.string().min(1)
const contentType = z.string().regex(/^[\w.+-]+\/[\w.+-]+$/)

const MessageRequest = z.strictObject({
  content: text,
  direction: z.enum(['sent', 'received']).optional(),
  sent_by_name: text.optional(),
  is_resolution: z.boolean().optional(),
  attachments: z.array(z.strictObject({ file_name: text, content_type: contentType.optional() })).optional(),
})

const ActivityRequest = z.strictObject({
  type: z.enum(['sent_fax', 'received_fax', 'follow_up_call']),
  notes: text.optional(),
})

const TransferRequest = z.strictObject({ state: text })

/** The same over HTTP. */
export function priorAuthorizationControlRoutes(controls: PriorAuthorizationControls): Router {
  const router = Router()

  router.post('/prior-authorization/:id/messages', (req, res) => {
    const { sent_by_name, is_resolution, attachments: files, ...message } = validate(MessageRequest, req.body)
    const attachments = files?.map(({ file_name, content_type }) => ({
      fileName: file_name,
      contentType: content_type,
    }))
    const id = controls.addMessage(
      req.params.id,
      compact({ ...message, sentByName: sent_by_name, isResolution: is_resolution, attachments }),
    )
    res.json(success({ id }))
  })

  router.post('/prior-authorization/:id/activities', (req, res) => {
    const id = controls.addActivity(req.params.id, compact(validate(ActivityRequest, req.body)))
    res.json(success({ id }))
  })

  router.post('/prior-authorization/:id/review', (req, res) => {
    controls.review(req.params.id)
    res.json({ status: 'success' })
  })

  router.post('/prior-authorization/:id/transfer', (req, res) => {
    controls.pushTransfer(req.params.id, validate(TransferRequest, req.body).state)
    res.json({ status: 'success' })
  })

  router.post('/prior-authorization/:id/benefits-check', (req, res) => {
    controls.pushBenefitsCheck(req.params.id)
    res.json({ status: 'success' })
  })

  return router
}
