import { expect, it } from 'vitest'
import type { Controls } from '../src/controls.ts'
import { startSandbox } from './play.ts'
import { routesBelow } from './routes-below.ts'

const organization = '/organizations/:organization'
const webhooks = `${organization}/webhooks`

/** The route of each control; null for one whose result another one shows in part. A control that is missing here does not compile. */
const routeOf: Record<keyof Controls, string | null> = {
  push: 'POST /resources/:id/push',
  cancel: 'POST /resources/:id/cancel',
  story: 'GET /resources/:id/story',
  listOrganizations: 'GET /organizations',
  readOrganization: `GET ${organization}`,
  putOrganization: `PUT ${organization}`,
  patchOrganization: `PATCH ${organization}`,
  readQuotas: `GET ${organization}/quotas`,
  putQuotas: `PUT ${organization}/quotas`,
  patchQuotas: `PATCH ${organization}/quotas`,
  readRateWindows: `GET ${organization}/rate-windows`,
  resetRateWindows: `DELETE ${organization}/rate-windows`,
  issueToken: 'POST /tokens',
  revokeToken: 'POST /tokens/revoke',
  failNext: `POST ${organization}/failures`,
  listFailures: `GET ${organization}/failures`,
  putFailures: `PUT ${organization}/failures`,
  clearFailures: `DELETE ${organization}/failures`,
  listWebhooks: `GET ${webhooks}`,
  readWebhook: `GET ${webhooks}/:webhook`,
  putWebhook: `PUT ${webhooks}`,
  patchWebhook: `PATCH ${webhooks}/:webhook`,
  removeWebhook: `DELETE ${webhooks}/:webhook`,
  deliveries: null,
  deliveryPage: 'GET /deliveries',
  delivery: 'GET /deliveries/:id',
  requestPage: 'GET /requests',
  request: 'GET /requests/:id',
  redeliver: 'POST /deliveries/:id/redeliver',
  redeliverStale: 'POST /resources/:id/redeliver-stale',
  step: 'POST /step',
  readClock: 'GET /clock',
  setClock: 'PUT /clock',
  readChaos: 'GET /chaos',
  setChaos: 'PUT /chaos',
  patchChaos: 'PATCH /chaos',
  addMessage: 'POST /prior-authorization/:id/messages',
  addActivity: 'POST /prior-authorization/:id/activities',
  review: 'POST /prior-authorization/:id/review',
  pushTransfer: 'POST /prior-authorization/:id/transfer',
  pushBenefitsCheck: 'POST /prior-authorization/:id/benefits-check',
  outreach: 'GET /prior-authorization/:id/outreach',
  reset: 'POST /reset',
  signProvider: `POST ${organization}/providers/:npi/sign`,
}

/** Of the sandbox itself rather than of its controls, and the second name of a control. */
const others = ['GET /truth', 'GET /seed', 'PATCH /clock', 'GET /scenarios', 'POST /scenarios', 'POST /deliveries']

it('each control in code has a route over HTTP, and each route a control', async () => {
  const { sandbox } = await startSandbox()
  expect(Object.keys(sandbox.controls).toSorted()).toEqual(Object.keys(routeOf).toSorted())
  const routes = routesBelow(sandbox, '/_sandbox')
  const twins = Object.values(routeOf).filter((route) => route !== null)
  expect(routes.toSorted()).toEqual([...twins, ...others].toSorted())
})
