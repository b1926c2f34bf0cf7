import { Router } from 'express'
import { z } from 'zod'
import { sendHtml } from '@pawl/base/pages/send-html'
import type { Controls } from '../../controls.ts'
import { fromWire } from '../../platform/wire.ts'
import { eventTypes } from '../../webhooks/settings.ts'
import { check, optionalText, readForm, text } from '../read-form.ts'
import { OrganizationsPage, organizationsAddress, TokenPage } from './organizations-page.tsx'

/** Empty: no limit. */
const limit = z
  .string()
  .trim()
  .regex(/^\d*$/, 'must be a whole number, or empty')
  .transform((digits) => (digits === '' ? Infinity : Number(digits)))

const OrganizationForm = z.object({
  workflow: z.enum(['delegated', 'non_delegated']),
  manual_review: check,
  api_access: check,
  pharmacy: check,
  requires_provider_authorization: check,
  daily_prior_auth_limit: limit,
  daily_new_plan_limit: limit,
})

const WebhookForm = z.object({
  name: text,
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
  secret: optionalText,
  // Forms send one value as a string, several as a list.
  events: z.preprocess((given) => (given === undefined ? [] : [given].flat()), z.array(z.enum(eventTypes))),
  enabled: check,
  body_digest: check,
})

const NameForm = z.object({ name: text })
const SwitchForm = z.object({ name: text, to: z.enum(['on', 'off']) })
const IdForm = z.object({
  id: text.regex(/^[\w.-]+$/, 'must contain only letters, digits, dots, dashes and underscores'),
})
const TokenForm = z.object({ token: text })

/** The page of organizations, and its forms. */
export function organizationRoutes({ controls }: { controls: Controls }): Router {
  const router = Router()

  router.get('/pages/organizations', (_req, res) => {
    sendHtml(res, <OrganizationsPage organizations={controls.listOrganizations()} />)
  })

  router.post('/pages/organizations', (req, res) => {
    const { id } = readForm(IdForm, req)
    const isKnown = controls.listOrganizations().some((organization) => organization.id === id)
    if (!isKnown) controls.putOrganization({ id })
    res.redirect(303, `${organizationsAddress}#organization-${id}`)
  })

  router.post('/pages/organizations/revoke', async (req, res) => {
    await controls.revokeToken(readForm(TokenForm, req).token)
    res.redirect(303, organizationsAddress)
  })

  router.post('/pages/organizations/:id', (req, res) => {
    controls.patchOrganization(req.params.id, fromWire(readForm(OrganizationForm, req)))
    res.redirect(303, `${organizationsAddress}#organization-${req.params.id}`)
  })

  router.post('/pages/organizations/:id/webhooks', (req, res) => {
    const { events, ...webhook } = fromWire(readForm(WebhookForm, req))
    controls.putWebhook({ ...webhook, events: events.length === 0 ? 'all' : events }, req.params.id)
    res.redirect(303, `${organizationsAddress}#organization-${req.params.id}`)
  })

  router.post('/pages/organizations/:id/webhooks/switch', (req, res) => {
    const { name, to } = readForm(SwitchForm, req)
    controls.patchWebhook(name, { enabled: to === 'on' }, req.params.id)
    res.redirect(303, `${organizationsAddress}#organization-${req.params.id}`)
  })

  router.post('/pages/organizations/:id/webhooks/remove', (req, res) => {
    controls.removeWebhook(readForm(NameForm, req).name, req.params.id)
    res.redirect(303, `${organizationsAddress}#organization-${req.params.id}`)
  })

  router.post('/pages/organizations/:id/tokens', async (req, res) => {
    const { id: organization } = req.params
    // No redirect: the token is neither in a URL nor stored, so only this answer can show it.
    sendHtml(res, <TokenPage organization={organization} token={await controls.issueToken(organization)} />)
  })

  return router
}
