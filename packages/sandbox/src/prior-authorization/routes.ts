import { type Response, Router } from 'express'
import {
  FeedbackRequest,
  NdpSubmissionUpdateRequest,
  PriorAuthorizationCancelRequest,
  PriorAuthorizationRequest,
} from 'pawl-client/schemas/prior-authorization-request'
import type { PriorAuthorizations } from './prior-authorizations.ts'
import { baseOf, type SignedFiles } from '../files/signed-files.ts'
import { validateWithFiles } from '../files/validate-with-files.ts'
import { validate } from '../platform/validate.ts'
import { organizationOf } from '../access/authenticate-token.ts'

/** The PA endpoints (specification, Endpoints). The body is validated before the PA is looked up, so a 422 does not reveal whether it exists. */
export function priorAuthorizationRoutes(deps: {
  priorAuthorizations: PriorAuthorizations
  files: Pick<SignedFiles, 'sign'>
}) {
  const { priorAuthorizations, files } = deps
  const router = Router()
  const own = (id: string, res: Response) => priorAuthorizations.getOwn(id, organizationOf(res))

  router.post('/prior-authorization', async (req, res) => {
    const rules = { cardsOf: 'other', hasEvidence: true } as const
    const request = await validateWithFiles(PriorAuthorizationRequest, req.body, rules)
    res.json({ status: 'success', data: await priorAuthorizations.create(organizationOf(res), request) })
  })

  router.get('/prior-authorization/:id', (req, res) => {
    res.json({ status: 'success', data: files.sign(own(req.params.id, res).resource, baseOf(req)) })
  })

  router.post('/prior-authorization/:id/cancel', (req, res) => {
    const { cancellation_reason } = validate(PriorAuthorizationCancelRequest, req.body)
    priorAuthorizations.cancel(own(req.params.id, res), cancellation_reason)
    res.json({ status: 'success' })
  })

  router.post('/prior-authorization/:id/feedback', (req, res) => {
    const feedback = validate(FeedbackRequest, req.body)
    priorAuthorizations.addFeedback(own(req.params.id, res), feedback)
    res.status(201).json({ status: 'success' })
  })

  router.patch('/prior-authorization/:id/ndp-submission', (req, res) => {
    const update = validate(NdpSubmissionUpdateRequest, req.body)
    priorAuthorizations.updateNdpSubmission(own(req.params.id, res), update.preferred_pharmacy_ncpdp_id)
    res.json({ status: 'success', data: update })
  })

  router.post('/prior-authorization/:id/prescription-transfer/cancel', (req, res) => {
    priorAuthorizations.cancelTransfer(own(req.params.id, res))
    res.json({ status: 'success' })
  })

  return router
}
