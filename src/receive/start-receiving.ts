import type { RequestListener } from 'node:http'
import { getHeapStatistics } from 'node:v8'
import express from 'express'
import helmet from 'helmet'
import type { JWK } from 'jose'
import type { Closers } from '@pawl/base/closers'
import type { Log } from '@pawl/base/log'
import { createAddressRanges } from '@pawl/base/net/address-ranges'
import { createAnswerFailure } from '@pawl/base/net/answer-failure'
import { readOpenFilesLimit, sayOpenFiles, shareOpenFiles } from '@pawl/base/open-files'
import { isLoopbackAddress } from '@pawl/base/net/public-address'
import { startServer } from '@pawl/base/net/server'
import { createSampledLog, type SampledLog } from '@pawl/base/sampled-log'
import { inSpan } from '@pawl/base/tracing/span'
import { createGroupedNotes } from '@pawl/ledger/audit/grouped-notes'
import type { Ledger } from '@pawl/ledger/ledger'
import type { ReadDiskRoom } from '@pawl/ledger/upkeep/disk-room'
import type { Served } from '@pawl/connector/served'
import type { System } from '@pawl/connector/system'
import type { Config } from '../settings/read-config.ts'
import { createPressure } from './pressure.ts'
import type { NoteDrift } from 'pawl-client/events/drift-seen'
import { createReceiver, type DeliveryOutcome, type Receiver } from './receiver.ts'
import { createMayDeliver } from './senders.ts'
import { createVerify } from 'pawl-client/verify/verify'

export interface ReceivingDeps {
  config: Pick<
    Config,
    | 'host'
    | 'port'
    | 'webhookSecrets'
    | 'maxInFlight'
    | 'maxInFlightBytes'
    | 'maxBodyBytes'
    | 'maxConnectionsPerAddress'
    | 'allowedAddresses'
    | 'trustedProxies'
  >
  ledger: Ledger
  readBlocked: () => { code: string } | undefined
  /** Wakes a worker for the resource; must not throw. */
  enqueue: (resourceId: string) => void
  readDiskRoom: ReadDiskRoom | undefined
  noteDrift: NoteDrift
  /** The listener serves their keys and requests beside webhooks. */
  systems: readonly System<object>[]
  countDelivery: (outcome: DeliveryOutcome, code: string) => void
  timeAnswer: (outcome: DeliveryOutcome, tookMs: number) => void
  /** The clock for tokens, in milliseconds. */
  now: () => number
  /** Aborts when the process stops. */
  stopping: AbortSignal
  closers: Closers
  log: Log
}

/** Starts the public listener: the receiver of webhooks, and the keys and requests that systems serve. */
export async function startReceiving({
  config,
  ledger,
  readBlocked,
  enqueue,
  readDiskRoom,
  noteDrift,
  systems,
  countDelivery,
  timeAnswer,
  now,
  stopping,
  closers,
  log,
}: ReceivingDeps): Promise<{ url: string; receiver: Receiver }> {
  const { maxInFlight, maxBodyBytes, maxConnectionsPerAddress, allowedAddresses } = config
  // Capped by the heap, regardless of the setting.
  const maxInFlightBytes = Math.min(config.maxInFlightBytes, getHeapStatistics().heap_size_limit / 4)
  const verify = await createVerify(config.webhookSecrets, now)
  const pressure = createPressure({ maxInFlight, maxInFlightBytes, readDiskRoom })
  closers.add(pressure.close)
  const sampledLog = createSampledLog({ log })
  closers.add(sampledLog.close)
  const trustedProxies = createAddressRanges(config.trustedProxies)
  const mayDeliver = createMayDeliver({ allowed: allowedAddresses, trustedProxies })
  const plain = createReceiver({
    mayDeliver,
    verify,
    ledger,
    noteDrift,
    enqueue,
    pressure,
    readBlocked,
    maxBodyBytes,
    log,
    sampledLog,
    count: countDelivery,
  })
  const receiver = timeAnswers(traceAnswers(plain), timeAnswer)
  const refuseUnread = (reason: string, code?: string, why = '') => {
    ledger.reject({ reason, bytes: 0 })
    countDelivery('refused', reason)
    sampledLog.warn({ reason, code }, `delivery refused${why}`)
  }
  const { refusedKey } = createGroupedNotes({ audit: ledger.audit, stopping, log })
  const serving = { ledger, trustedProxies, refusedKey, stopping, sampledLog }
  const served = systems.flatMap((system) => system.serve?.(serving) ?? [])
  const publicKeys = systems.flatMap((system) => system.publicKeys?.() ?? [])
  const openFiles = readOpenFilesLimit()
  const server = await startServer(createPublicApp({ receiver, sampledLog, publicKeys, served }), config, '', {
    onUnreadable: (code) => refuseUnread('unreadable', code),
    connections: {
      maxPerAddress: maxConnectionsPerAddress,
      // Exempts this machine: the sender is a proxy, or a local user who could do worse.
      isExempt: (address) => isLoopbackAddress(address) || trustedProxies.has(address),
      onRefused: () => refuseUnread('too_many_connections'),
    },
    ...(openFiles !== undefined && {
      total: {
        max: shareOpenFiles(openFiles).deliveries,
        onRefused: () => refuseUnread('too_many_open_files', undefined, `: ${sayOpenFiles(openFiles)}`),
      },
    }),
  })
  closers.addFront((graceMs) => server.close(graceMs))
  log.info({ address: `${server.url}/webhooks` }, 'receiving')
  return { url: server.url, receiver }
}

/** The request target. Also matches the absolute form, which proxies send and every server must accept (RFC 9112, 3.2.2). */
const webhooks = /^(?:https?:\/\/[^/?#]+)?\/webhooks\/?(?:\?|$)/i

/** Makes the public listener's app. POST /webhooks goes straight to the receiver, since Express would cost more than the receiver itself; the rest goes through Express. `publicKeys`: verify pawl's signatures. `served`: requests of systems. */
export function createPublicApp({
  receiver,
  sampledLog,
  publicKeys = [],
  served = [],
}: {
  receiver: Receiver
  sampledLog: SampledLog
  publicKeys?: readonly JWK[]
  served?: readonly Served[]
}): RequestListener {
  const app = express()
  app.use(helmet())
  app.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' })
  })
  if (publicKeys.length > 0)
    app.get('/.well-known/jwks.json', (_req, res) => {
      res.set('cache-control', 'public, max-age=300').json({ keys: publicKeys.map(withoutPrivateParts) })
    })
  for (const { handle } of served) app.use(handle)
  app.use((_req, res) => {
    const places = `${['Webhooks are received at POST /webhooks', ...served.map(({ says }) => says)].join(', and ')}.`
    res.status(404).json({ error: { code: 'not_found', message: places } })
  })
  app.use(createAnswerFailure({ component: 'receive', sampledLog, unavailable: 'Try again; see the log.' }))
  return (req, res) => {
    if (webhooks.test(req.url ?? '')) void receiver(req, res)
    else void app(req, res)
  }
}

/** Publishes only known public members of a key: a fork's system may pass a private one by mistake. */
function withoutPrivateParts({ kty, kid, alg, use, crv, x, y, n, e }: JWK) {
  return { kty, kid, alg, use, crv, x, y, n, e }
}

/** Wraps a receiver: each delivery gets its own span, which begins a trace. A sender's trace headers are ignored. */
function traceAnswers(receiver: Receiver): Receiver {
  return (req, res) => {
    const { method = 'POST' } = req
    const attributes = { 'http.request.method': method, 'http.route': '/webhooks' }
    return inSpan(`${method} /webhooks`, { kind: 'server', attributes, follows: {} }, async (span) => {
      await receiver(req, res)
      const { statusCode } = res
      span.describe(() => ({ 'http.response.status_code': statusCode }))
      if (statusCode >= 500) span.fail(String(statusCode))
    })
  }
}

/** Wraps a receiver to report the outcome of each delivery, and its duration in milliseconds. */
function timeAnswers(receiver: Receiver, report: (outcome: DeliveryOutcome, tookMs: number) => void): Receiver {
  return (req, res) => {
    const begunAt = performance.now()
    res.once('finish', () => report(outcomes[res.statusCode] ?? 'refused', performance.now() - begunAt))
    return receiver(req, res)
  }
}

const outcomes: Readonly<Record<number, DeliveryOutcome>> = { 200: 'duplicate', 202: 'stored', 503: 'unavailable' }
