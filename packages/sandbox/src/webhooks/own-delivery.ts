import { z } from 'zod'
import { parseJson } from '@pawl/base/parse-json'
import { Envelope } from 'pawl-client/schemas/envelope'
import { control, type Control } from '../platform/control.ts'
import { codedRefusal } from '../platform/refusal.ts'
import type { Deliverer } from './deliverer.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { WebhookSettings } from './settings.ts'

const text = z.string().min(1)

const OwnDelivery = z.strictObject({
  /** A string is sent byte for byte, even if it is not JSON. */
  body: z.union([text, z.record(z.string(), z.unknown()), z.array(z.unknown())]),
  organization: text.optional(),
  /** Default: every enabled webhook of the organization. */
  webhook: text.optional(),
})

/** POST /deliveries: sends a custom body, signed, retried and logged like any delivery, but without chaos. */
export function ownDeliveryControl(deps: {
  /** Throws `Refusal` for an unknown organization. */
  organizationOf: (id?: string) => { id: string; webhooks: ReadonlyMap<string, WebhookSettings> }
  log: Pick<DeliveryLog, 'add'>
  deliverer: Pick<Deliverer, 'deliver'>
}): Control {
  const { organizationOf, log, deliverer } = deps
  return control(
    'POST /deliveries',
    { summary: 'Send a body of your own, signed', body: OwnDelivery },
    ({ body: asked }) => {
      const { id: organization, webhooks } = organizationOf(asked.organization)
      const chosen = [...webhooks.values()].filter(
        ({ name, enabled = true }) => enabled && (asked.webhook ?? name) === name,
      )
      if (chosen.length === 0) throw noWebhook(organization, [...webhooks.keys()])
      const body = typeof asked.body === 'string' ? asked.body : JSON.stringify(asked.body)
      const about = aboutOf(body)
      const ids = chosen.map(({ name }) => {
        const delivery = log.add({ webhook: name, organization, ...about, body })
        deliverer.deliver(delivery)
        return delivery.id
      })
      return { ids }
    },
  )
}

/** The fields for the log's filters; a body that is no envelope is sent, too. */
function aboutOf(body: string): { eventType: string; resourceId: string } {
  const read = Envelope.safeParse(parseJson(body)).data
  if (typeof read?.data.id !== 'string') return { eventType: 'unknown', resourceId: 'unknown' }
  return { eventType: read.event_type, resourceId: read.data.id }
}

function noWebhook(organization: string, names: readonly string[]) {
  return codedRefusal(409, {
    title: 'No webhook',
    description:
      names.length === 0
        ? `${organization} has no webhook: add one with PUT /_sandbox/organizations/${organization}/webhooks.`
        : `${organization} has no such enabled webhook; it has ${names.join(', ')}.`,
    code: 'no_webhook',
    legal: [...names],
  })
}
