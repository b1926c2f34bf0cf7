import { Router } from 'express'
import { z } from 'zod'
import { sendHtml } from '../../../pages/send-html.ts'
import { policyNames } from '../../access/limit-policies.ts'
import type { Controls } from '../../controls.ts'
import { compact } from '../../platform/wire.ts'
import { optionalText, readForm, text } from '../read-form.ts'
import { failuresAddress, FailuresPage } from './failures-page.tsx'
import { limitsAddress, LimitsPage } from './limits-page.tsx'

const QuotasForm = z.record(z.enum(policyNames), z.coerce.number().int().nonnegative())

const FailureForm = z.object({
  /** The endpoint, then one of its codes, after the last space. */
  failure: text.regex(/ \S+$/),
  times: z.coerce.number().int().min(1),
  retry_after: z.preprocess((given) => given || undefined, z.coerce.number().int().min(1).optional()),
  organization: optionalText,
})

const ClearForm = z.object({ organization: optionalText, operation: optionalText })

/** The pages of what refuses calls, quotas and planned failures, and what can be changed there. */
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

  router.get('/pages/failures', (_req, res) => {
    const organizations = ids().map((id) => ({ id, failures: controls.listFailures(id) }))
    sendHtml(res, <FailuresPage organizations={organizations} />)
  })

  router.post('/pages/failures', (req, res) => {
    const { failure, times, retry_after: retryAfterSeconds, organization } = readForm(FailureForm, req)
    const end = failure.lastIndexOf(' ')
    const [operation, code] = [failure.slice(0, end), failure.slice(end + 1)]
    controls.failNext(compact({ operation, code, times, retryAfterSeconds, organization }))
    res.redirect(303, failuresAddress)
  })

  router.post('/pages/failures/clear', (req, res) => {
    const { organization, operation } = readForm(ClearForm, req)
    const meant = organization === undefined ? ids() : [organization]
    for (const id of meant) controls.clearFailures(compact({ organization: id, operation }))
    res.redirect(303, failuresAddress)
  })

  return router
}
