import { setTimeout as sleep } from 'node:timers/promises'
import { signDelivery } from '@pawl/sandbox/webhooks/sign'
import type { World } from './world.ts'

const maxTries = 40

/** A delivery about the PA that the real service would not send; undefined for an unknown PA. */
export function strangeBody(
  { sandbox }: Pick<World, 'sandbox'>,
  id: string | undefined,
  alter: (pa: object) => object,
): string | undefined {
  const pa = sandbox.truth().prior_authorizations.find((each) => each.id === id)
  const envelope = { title: 'Prior Authorization Updated', event_type: 'prior_authorization.status_change' }
  return pa && JSON.stringify({ ...envelope, sandbox_extra: true, data: alter(pa) })
}

/** Posts a delivery and retries until pawl accepts deliveries again; resolves with the answer's status. */
export async function postDelivery(
  world: Pick<World, 'webhookUrl' | 'clockOffsetMs'>,
  body: string,
  secret: string,
): Promise<number> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const nowMs = Date.now() + world.clockOffsetMs
    const token = await signDelivery({ secret, body, bodyDigest: true, nowMs })
    const headers = { 'content-type': 'application/json', 'x-webhook-secret': token }
    const answer = await fetch(world.webhookUrl, { method: 'POST', headers, body }).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer !== undefined && answer.status < 500) return answer.status
    await sleep(50)
  }
  return 503
}
