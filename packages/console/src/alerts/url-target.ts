import { Webhook } from 'standardwebhooks'
import type { Clock } from '@pawl/base/clock'
import type { Fetch } from '@pawl/base/net/fetch'
import type { AlertEntry, AlertMessage } from './message.ts'
import { post } from './post.ts'
import type { AlertTarget } from './target.ts'

/** A target that gets JSON, signed by Standard Webhooks with each of the secrets. */
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
      return post(fetch, address, body, {
        'webhook-id': message.id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': signers.map((signer) => signer.sign(message.id, at, body)).join(' '),
      })
    },
    close() {},
  }
}

function bodyOf({ type, at, subject, text, alerts }: AlertMessage) {
  const data = { subject, text, alerts: alerts.map(entryOf) }
  return { type, timestamp: new Date(at).toISOString(), data }
}

function entryOf({ news, about, title, advice, command, link }: AlertEntry) {
  const { id, kind, resourceId, openedAt } = news.alert
  return {
    id,
    kind,
    subject: about,
    change: news.change,
    level: news.level,
    count: news.count,
    resource_id: resourceId,
    opened_at: new Date(openedAt).toISOString(),
    title,
    advice,
    command,
    link,
  }
}
