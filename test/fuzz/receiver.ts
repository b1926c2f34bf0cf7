import type { IncomingMessage, ServerResponse } from 'node:http'
import fc from 'fast-check'
import { startServer } from '../../packages/base/src/net/server.ts'
import { until } from '../support/until.ts'
import { webhookSecret } from '../support/webhook.ts'
import { must } from './aftermath.ts'
import { eventTypes, startAttackedGateway } from './attacked-gateway.ts'
import { hostileHttp } from './hostile-http.ts'
import { hostileBody, hostileId } from './hostile-text.ts'
import { goodToken, hostileToken } from './hostile-tokens.ts'
import { atOnce, exchangeRaw, requestText, statusesOf } from './raw-http.ts'
import type { Attack, Target } from './target.ts'

const token = goodToken(webhookSecret)
const path = '/webhooks'

function delivery(body: Buffer | string, secret = token): Buffer {
  return requestText({ path, headers: { 'content-type': 'application/json', 'x-webhook-secret': secret } }, body)
}

/** Stored content that only a good token allows. */
const intruder = 'pa_req_intruder'
const bodyOf = (id: string) => JSON.stringify({ event_type: eventTypes[0], data: { id } })

const attacks: fc.Arbitrary<Attack> = fc.oneof(
  hostileToken(webhookSecret).map(({ token, mayPass }) => ({
    name: `token ${token.slice(0, 300)}`,
    wire: atOnce(delivery(bodyOf(mayPass ? 'pa_req_1' : intruder), token)),
    mayPass,
  })),
  hostileBody(['event_type', 'data', 'id', 'event_id', 'title', 'occurred_at']).map((body) => ({
    name: `body ${body.toString().slice(0, 300)}`,
    wire: atOnce(delivery(body)),
    mayPass: true,
  })),
  fc
    .tuple(fc.constantFrom(...eventTypes, '__proto__', 'constructor'), hostileId, hostileId)
    .map(([type, id, eventId]) => ({
      name: `event of ${JSON.stringify(id).slice(0, 300)}`,
      wire: atOnce(delivery(JSON.stringify({ event_type: type, event_id: eventId, data: { id, status: id } }))),
      mayPass: true,
    })),
  ...[true, false].map((mayPass) =>
    hostileHttp({
      path,
      headers: { 'content-type': 'application/json', 'x-webhook-secret': mayPass ? token : `${token}x` },
      body: bodyOf(mayPass ? 'pa_req_1' : intruder),
    }).map((wire) => ({ name: `HTTP, with a ${mayPass ? 'good' : 'bad'} token`, wire, mayPass })),
  ),
)

/** Possible paths of the API, with any id. */
const apiPath = /^\/(prior-authorization|benefit-verification)\/[\w.:~%-]{2,}$/

/** A gateway with a handler, in this process, and a service that knows nothing; what it is asked for is held against the paths that it has. */
export async function startReceiverTarget(): Promise<Target> {
  const asked = new Set<string>()
  const service = await startServer(
    (req: IncomingMessage, res: ServerResponse) => {
      asked.add(req.url ?? '')
      res.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not found"}')
    },
    { host: '127.0.0.1', port: 0 },
  )
  const settings = { API_BASE_URL: service.url, MAX_BODY_BYTES: '100000' }
  const { gateway, log, mustBeUnharmed, checkFiles, close } = await startAttackedGateway(settings)
  let acknowledged = 0
  let stored = 0

  /** The lines since the last time, of which none is passed over. */
  function readLines() {
    const lines = log.lines()
    log.clear()
    for (const { msg, status, resource_id: id } of lines) {
      if (msg !== 'delivery' || status !== 'stored') continue
      stored += 1
      must(id !== intruder, 'stored what no good token came with')
    }
    return lines
  }

  return {
    attacks,
    async strike({ wire, mayPass }) {
      const statuses = statusesOf(await exchangeRaw(gateway.url, wire))
      await mustBeUnharmed()
      const lines = readLines()
      for (const status of statuses.filter((each) => each >= 500)) {
        must(status === 503, `answered ${status}`)
        must(
          lines.some((line) => line.status === status),
          `answered ${status} without a line in the log`,
        )
      }
      must(mayPass || !statuses.some((status) => status < 300), 'took what no good token came with')
      acknowledged += statuses.filter((status) => status === 202).length
      must(acknowledged <= stored, 'acknowledged what was not stored')
      return statuses
    },
    async inspect() {
      // A delivery whose sender did not wait may still be stored.
      const events = await until('every accepted event is in the ledger, and no other', async () => {
        readLines()
        const counts = await gateway.ledger.counts()
        return counts.events === stored && counts.events
      })
      must(events > 0, 'nothing was accepted: the attacks attack nothing')
      const steered = [...asked].filter((each) => !apiPath.test(each) || /\/\.{1,2}$/.test(each))
      must(steered.length === 0, `an id led to ${steered.join(' and ').slice(0, 500)}`)
      await checkFiles()
    },
    async close() {
      await close()
      await service.close(0)
    },
  }
}
