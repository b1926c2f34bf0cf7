import type { IncomingMessage, ServerResponse } from 'node:http'
import { describeError, PawlError } from '@pawl/base/errors'
import { isEventType } from 'pawl-client/events/event-types'
import type { Envelope } from 'pawl-client/schemas/envelope'
import type { NoteDrift } from 'pawl-client/events/drift-seen'
import { findDrift } from 'pawl-client/events/find-drift'
import type { Log } from '@pawl/base/log'
import type { SampledLog } from '@pawl/base/sampled-log'
import { currentTraceparent, describeSpan, inSpan } from '@pawl/base/tracing/span'
import { DeliveryRefused, refusalLines, type RefusalReason } from 'pawl-client/verify/delivery-refused'
import { parseEnvelope, toDelivery } from './parse-delivery.ts'
import { DeliveryShed, type InHand, type Pressure } from './pressure.ts'
import { readBody } from './read-body.ts'
import type { MayDeliver } from './senders.ts'
import type { Verified, Verify } from 'pawl-client/verify/verify'
import type { Accepted, Delivery, Intake } from '@pawl/ledger/hot/accept'

/** Outcome of one delivery. */
export type DeliveryOutcome = 'stored' | 'duplicate' | 'refused' | 'unavailable'

export interface ReceiverDeps {
  /** Default: any sender with a token. */
  mayDeliver?: MayDeliver
  verify: Verify
  ledger: Intake
  noteDrift: NoteDrift
  /** Wakes a worker for the resource; must not throw. */
  enqueue: (resourceId: string) => void
  pressure: Pick<Pressure, 'enter'>
  /** Why the ledger takes no writes at the moment, if known. */
  readBlocked?: () => { code: string } | undefined
  /** Max size of a body, in bytes. */
  maxBodyBytes: number
  /** Time limit of a body, in milliseconds. Until the body is read, the delivery counts as in flight. */
  bodyTimeoutMs?: number
  log: Log
  /** Log of deliveries refused, turned away or not stored, which may come in floods. */
  sampledLog: Pick<SampledLog, 'warn' | 'error'>
  /** Time limit of a commit, in milliseconds. A late commit may still store the delivery; its redelivery is then a duplicate. */
  commitTimeoutMs?: number
  /** Counts one answer. */
  count: (outcome: DeliveryOutcome, code: string) => void
}

/** A plain request listener: mount it in any server or framework, in front of body parsers. */
export type Receiver = (req: IncomingMessage, res: ServerResponse) => Promise<void>

/** The ledger did not store a delivery in time, because of a lock or a database that does not answer. */
class CommitLate extends PawlError {
  readonly code = 'commit_late'
  constructor() {
    super('The ledger did not store the delivery in time.')
  }
}

/** Retry-After of a 503. */
const retryAfterSeconds = 5

/** POST /webhooks: verify (first the sender's address, if restricted), read, parse, accept, acknowledge, enqueue. In that order, and nothing else. */
export function createReceiver({
  mayDeliver = () => true,
  verify,
  ledger,
  noteDrift,
  enqueue,
  pressure,
  readBlocked,
  maxBodyBytes,
  bodyTimeoutMs = 20_000,
  commitTimeoutMs = 4_500,
  log,
  sampledLog,
  count,
}: ReceiverDeps): Receiver {
  return async (req, res) => {
    let inHand: InHand | undefined
    let commit: Promise<Accepted> | undefined
    try {
      if (!mayDeliver(req)) throw new DeliveryRefused('address_not_allowed')
      inHand = pressure.enter()
      const verified = await verify(readToken(req))
      const body = await readBody(req, { maxBytes: maxBodyBytes, timeoutMs: bodyTimeoutMs, reserve: inHand.reserve })
      verified.assertBody(body)
      const envelope = parseEnvelope(body, inHand.reserveValues)
      const delivery = toDelivery(envelope, body)
      const traceparent = currentTraceparent()
      // Resolves once the commit is durable.
      const accepted = await inSpan('commit', {}, () => inTime((commit = ledger.accept({ ...delivery, traceparent }))))
      const { eventId, duplicate, traceId } = accepted
      answer(res, duplicate ? 200 : 202, { event_id: eventId, duplicate })
      const { resourceId, kind } = delivery
      const isHandled = kind !== undefined && resourceId !== undefined
      if (isHandled && !duplicate) enqueue(resourceId)
      const status = duplicate ? 'duplicate' : 'stored'
      count(status, isHandled ? 'handled' : 'unhandled')
      const eventType = eventTypeForLog(delivery)
      tellSpan(accepted, { eventType, resourceId, status })
      log.info(
        {
          event_id: eventId,
          event_type: eventType,
          resource_id: resourceId,
          bytes: body.length,
          status,
          trace_id: traceId,
        },
        'delivery',
      )
      noteUnknown(envelope, verified, delivery)
    } catch (error) {
      if (error instanceof DeliveryRefused) refuse(req, res, error)
      else if (error instanceof DeliveryShed) shed(res, error)
      else unavailable(res, error)
    } finally {
      // Until its late commit ends, the delivery counts as in flight.
      void Promise.resolve(commit)
        .catch(() => undefined)
        .finally(() => inHand?.leave())
    }
  }

  /** Throws `CommitLate`. */
  async function inTime(commit: Promise<Accepted>): Promise<Accepted> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new CommitLate()), commitTimeoutMs).unref()
    })
    try {
      return await Promise.race([commit, late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Runs after the answer, so it neither delays nor fails it. */
  function noteUnknown(envelope: Envelope, { claims }: Verified, { resourceId = '' }: Delivery): void {
    noteDrift(findDrift(envelope, claims).map((each) => ({ ...each, resourceId })))
  }

  function refuse(req: IncomingMessage, res: ServerResponse, { code, httpStatus, message }: DeliveryRefused): void {
    const bytes = Number(req.headers['content-length'] ?? 0)
    answer(res, httpStatus, { error: { code, message } }, extraHeaders[code])
    ledger.reject({ reason: code, bytes })
    count('refused', code)
    sampledLog.warn({ reason: code, status: httpStatus, bytes }, refusalLines[code] ?? refusalLines.other)
  }

  function shed(res: ServerResponse, { code, message }: DeliveryShed): void {
    const headers = { 'retry-after': String(retryAfterSeconds), connection: 'close' }
    answer(res, 503, { error: { code, message } }, headers)
    count('unavailable', code)
    sampledLog.warn({ reason: code, status: 503 }, 'delivery turned away')
  }

  function unavailable(res: ServerResponse, error: unknown): void {
    const message = 'The delivery could not be stored; send it again.'
    answer(res, 503, { error: { code: 'not_stored', message } }, { 'retry-after': String(retryAfterSeconds) })
    const blocked = readBlocked?.()
    count('unavailable', blocked?.code === 'locked' ? 'ledger_locked' : 'not_stored')
    const reason = blocked?.code ?? describeError(error).code
    sampledLog.error({ error, reason, status: 503 }, 'delivery not stored')
  }
}

/** Extra headers of some refusals (RFC 9110, 15.5.6 and 15.5.16). */
const extraHeaders: Partial<Record<RefusalReason, Record<string, string>>> = {
  wrong_method: { allow: 'POST' },
  wrong_content_encoding: { 'accept-encoding': 'identity' },
  body_too_slow: { connection: 'close' },
}

/** `unknown` for types that pawl does not know, which may be any text. */
function eventTypeForLog({ eventType }: Delivery): string {
  return isEventType(eventType) ? eventType : 'unknown'
}

/** Checks method, content type and encoding, and returns the token. Throws `DeliveryRefused`. */
function readToken(req: IncomingMessage): string {
  if (req.method !== 'POST') throw new DeliveryRefused('wrong_method')
  const contentType = header(req, 'content-type')?.split(';')[0]?.trim().toLowerCase()
  if (contentType !== 'application/json') throw new DeliveryRefused('wrong_content_type')
  const encoding = header(req, 'content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding !== '' && encoding !== 'identity') throw new DeliveryRefused('wrong_content_encoding')
  const token = header(req, 'x-webhook-secret')
  if (token === undefined || token === '') throw new DeliveryRefused('token_missing')
  return token
}

/** A duplicate has its own trace, linked to the event's. */
function tellSpan(
  { eventId, duplicate, traceparent }: Accepted,
  about: { eventType: string; resourceId: string | undefined; status: string },
): void {
  const attributes = {
    'pawl.event.id': eventId,
    'pawl.event.type': about.eventType,
    'pawl.resource.id': about.resourceId,
    'pawl.delivery.status': about.status,
  }
  describeSpan(attributes, duplicate ? [traceparent] : [])
}

function header(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name]
  return Array.isArray(value) ? value[0] : value
}

function answer(res: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  if (res.headersSent || res.destroyed) return
  const text = JSON.stringify(body)
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers })
  res.end(text)
}
