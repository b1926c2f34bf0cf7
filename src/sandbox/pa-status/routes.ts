import { Router } from 'express'
import { PaStatusRequest } from '../../resources/requests/pa-status.ts'
import type { PaStatusChecks } from './pa-status-checks.ts'
import { validate } from '../platform/validate.ts'
import { organizationOf } from '../access/authenticate.ts'

/** The PA status checks. Unreleased (specification, Endpoint rules). */
export function paStatusRoutes({ paStatusChecks }: { paStatusChecks: PaStatusChecks }) {
  const router = Router()

  router.post('/pa-status', (req, res) => {
    const { id } = paStatusChecks.create(organizationOf(res), validate(PaStatusRequest, req.body))
    res.json({ status: 'success', data: { id } })
  })

  router.get('/pa-status/:id', (req, res) => {
    const { resource } = paStatusChecks.getOwn(req.params.id, organizationOf(res))
    res.json({ status: 'success', data: resource })
  })

  return router
}
