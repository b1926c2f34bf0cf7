import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import { pageHeaders } from './page-headers.ts'
import { sendHtml } from '@pawl/base/pages/send-html'
import type { CaseReader } from '../cases/read-cases.ts'
import type { Controls } from '../controls.ts'
import type { SignedFiles } from '../files/signed-files.ts'
import type { Control } from '../platform/control.ts'
import { Refusal } from '../platform/refusal.ts'
import { assets } from './sandbox-assets.ts'
import { controlPageRoutes } from './controls/control-routes.tsx'
import { caseRoutes } from './cases/case-routes.tsx'
import { createCaseRoutes } from './create/create-routes.tsx'
import { deliveryRoutes } from './deliveries/delivery-routes.tsx'
import { MessagePage } from './message-page.tsx'
import { OverviewPage } from './overview-page.tsx'
import { requestRoutes } from './requests/request-routes.tsx'
import { scenarioPageRoutes } from './scenarios/scenario-routes.tsx'

export interface PagesDeps {
  controls: Controls
  cases: CaseReader
  files: Pick<SignedFiles, 'sign'>
  /** The controls over HTTP. */
  routes: readonly Control[]
  seed: number
}

/** Max rows per table of the overview. */
const newestShown = 10

/** Pages for people at `/_sandbox/`, on top of the controls. Passes other requests on. */
export function createPages({ controls, cases, files, routes, seed }: PagesDeps): RequestHandler {
  const router = Router()
  // Forms send a referrer to their own origin only.
  router.use(pageHeaders)
  router.use(assets.createRoutes('/pages/assets'))
  router.use(express.urlencoded({ extended: false, limit: '1mb' }))

  router.get('/', (_req, res) => {
    const deliveries = controls.deliveries()
    const numberOf = (state: string) => deliveries.filter((one) => one.state === state).length
    const { sending, answering } = controls.readChaos()
    sendHtml(
      res,
      <OverviewPage
        clock={controls.readClock()}
        seed={seed}
        counts={cases.counts()}
        deliveries={{
          pending: numberOf('pending'),
          delivered: numberOf('delivered'),
          given_up: numberOf('given_up'),
        }}
        hasWebhook={controls.listOrganizations().some(({ webhooks }) => webhooks.length > 0)}
        isChaotic={[...Object.values(sending), ...Object.values(answering)].some((chance) => chance > 0)}
        newestCases={cases.page({}, newestShown).cases}
        newestDeliveries={deliveries.slice(-newestShown).toReversed()}
      />,
    )
  })
  router.use(caseRoutes({ controls, cases, files }))
  router.use(createCaseRoutes({ controls }))
  router.use(scenarioPageRoutes({ controls }))
  router.use(deliveryRoutes({ controls }))
  router.use(requestRoutes({ controls }))
  router.use(controlPageRoutes({ controls, routes }))
  router.use((req, res) => {
    const message = 'There is no such page; the menu lists all pages.'
    sendHtml(
      res,
      <MessagePage title="Not found" message={message} code="not_found" path={`/_sandbox${req.path}`} />,
      404,
    )
  })
  router.use(answerRefusal)

  return (req, res, next) => {
    const isOverview = req.path === '/' && req.method === 'GET' && req.accepts(['html', 'json']) === 'html'
    if (isOverview || /^\/pages(\/|$)/.test(req.path)) router(req, res, next)
    else next()
  }
}

/** Express recognises an error handler by its four parameters. */
const answerRefusal: ErrorRequestHandler = (error: unknown, req, res, next) => {
  if (!(error instanceof Refusal)) return next(error)
  const { body, httpStatus } = error
  const { title, code } = 'error' in body ? body.error : { title: 'Refused' }
  const faults = 'detail' in body && Array.isArray(body.detail) ? body.detail : []
  const message = faults.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ') || error.message
  const path = `/_sandbox${req.path}`
  const ofCase = httpStatus === 404 ? undefined : /^\/_sandbox\/pages\/cases\/[^/]+(?=\/)/.exec(path)?.[0]
  sendHtml(res, <MessagePage {...{ title, message, code, path, ofCase }} />, httpStatus)
}
