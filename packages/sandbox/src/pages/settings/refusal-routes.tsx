import { Router } from 'express'
import { z } from 'zod'
import { sendHtml } from '@pawl/base/pages/send-html'
import { policyNames } from 'pawl-client/schemas/rate-policies'
import type { Controls } from '../../controls.ts'
import { nameOf, operations } from '../../platform/operations.ts'
import { codedRefusal } from '../../platform/refusal.ts'
import { compact } from '../../platform/wire.ts'
import { queryOf } from '@pawl/base/pages/query'
import { optionalText, readForm, text } from '../read-form.ts'
import { failuresAddress, FailuresPage } from './failures-page.tsx'
import { limitsAddress, LimitsPage } from './limits-page.tsx'

const QuotasForm = z.record(z.enum(policyNames), z.coerce.number().int().nonnegative())

const FailureForm = z.object({
  operation: text,
  code: text,
  times: z.coerce.number().int().min(1),
  retry_after: z.preprocess((given) => given || undefined, z.coerce.number().int().min(1).optional()),
  organization: optionalText,
})

/** Endpoint whose errors are shown; the default has most. */
const FailuresQuery = z.object({ operation: z.string().catch('POST /prior-authorization') })

const ClearForm = z.object({ organization: optionalText, operation: optionalText })

/** Pages of quotas and planned failures, and their forms. */
export function refusalRoutes({ controls }: { controls: Controls }): Router {
  const router = Router()
  const ids = () => controls.listOrganizations().map(({ id }) => id)

  router.get('/pages/limits', (_req, res) => {
    const organizations = controls
      .listOrganizations()
      .map(({ id, quotas }) => ({ id, quotas, windows: controls.readRateWindows(id) }))
    sendHtml(res, <LimitsPage organizations={organizations} />)
  })

  router.post('/pages/limits/:id', (req, res) => {
    controls.putQuotas(readForm(QuotasForm, req), req.params.id)
    res.redirect(303, limitsAddress)
  })

  router.post('/pages/limits/:id/reset', (req, res) => {
    controls.resetRateWindows(req.params.id)
    res.redirect(303, limitsAddress)
  })

  router.get('/pages/failures', (req, res) => {
    const organizations = ids().map((id) => ({ id, failures: controls.listFailures(id) }))
    const { operation: name } = FailuresQuery.parse(req.query)
    const operation = operations.find((one) => nameOf(one) === name)
    if (operation === undefined)
      throw codedRefusal(404, {
        title: 'Unknown endpoint',
        description: `There is no endpoint ${name}; use one of: ${operations.map(nameOf).join(', ')}.`,
        code: 'unknown_operation',
      })
    sendHtml(res, <FailuresPage organizations={organizations} operation={operation} />)
  })

  router.post('/pages/failures', (req, res) => {
    const { retry_after: retryAfterSeconds, ...failure } = readForm(FailureForm, req)
    controls.failNext(compact({ ...failure, retryAfterSeconds }))
    res.redirect(303, `${failuresAddress}${queryOf({ operation: failure.operation })}`)
  })

  router.post('/pages/failures/clear', (req, res) => {
    const { organization, operation } = readForm(ClearForm, req)
    const meant = organization === undefined ? ids() : [organization]
    for (const id of meant) controls.clearFailures(compact({ organization: id, operation }))
    res.redirect(303, failuresAddress)
  })

  return router
}
