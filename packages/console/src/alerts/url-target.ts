import { Webhook } from 'standardwebhooks'
import type { Clock } from '@pawl/base/clock'
import type { Fetch } from '@pawl/base/net/fetch'
import type { AlertEntry, AlertMessage } from './message.ts'
import { post } from './post.ts'
import type { AlertTarget } from './target.ts'

/** A target that gets JSON, which Slack's incoming webhooks take as it is; signed by Standard Webhooks with each of the secrets, if there are any. */
export function createUrlTarget({
  address,
  secrets,
  fetch,
  clock,
}: {
  address: string
  secrets: readonly string[]
  fetch: Fetch
  clock: Clock
}): AlertTarget {
  const signers = secrets.map((secret) => new Webhook(secret))
  return {
    name: 'url',
    send(message) {
      const at = new Date(clock.now())
      const body = JSON.stringify(bodyOf(message))
      const signature = signers.map((signer) => signer.sign(message.id, at, body)).join(' ')
      return post(fetch, address, body, {
        'webhook-id': message.id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        ...(signature !== '' && { 'webhook-signature': signature }),
      })
    },
    close() {},
  }
}

function bodyOf({ at, text, alerts }: AlertMessage) {
  return { text, timestamp: new Date(at).toISOString(), alerts: alerts.map(entryOf) }
}

function entryOf({ alert, change, fault, links: [link] }: AlertEntry) {
  const { id, kind, count, most, resourceId, beganAt, openedAt } = alert
  const { code, severity, title, why, effect, todo, command, runbook } = fault
  return {
    id,
    kind,
    change,
    code,
    severity,
    title,
    why,
    effect,
    count,
    most,
    resource_id: resourceId,
    began_at: new Date(beganAt).toISOString(),
    opened_at: new Date(openedAt).toISOString(),
    todo,
    command,
    link,
    runbook,
  }
}
