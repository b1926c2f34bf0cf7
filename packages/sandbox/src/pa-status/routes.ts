import { Router } from 'express'
import { PaStatusRequest } from 'pawl-client/schemas/pa-status'
import type { PaStatusChecks } from './pa-status-checks.ts'
import { validateWithFiles } from '../files/validate-with-files.ts'
import { organizationOf } from '../access/authenticate-token.ts'

/** The PA status checks. Unreleased (specification, Endpoint rules). */
export function paStatusRoutes({ paStatusChecks }: { paStatusChecks: PaStatusChecks }) {
  const router = Router()

  router.post('/pa-status', async (req, res) => {
    const request = await validateWithFiles(PaStatusRequest, req.body, { cardsOf: 'other' })
    const { id } = await paStatusChecks.create(organizationOf(res), request)
    res.json({ status: 'success', data: { id } })
  })

  router.get('/pa-status/:id', (req, res) => {
    const { resource } = paStatusChecks.getOwn(req.params.id, organizationOf(res))
    res.json({ status: 'success', data: resource })
  })

  return router
}
