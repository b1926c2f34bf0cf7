import { mkdtemp, rm } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { Sqlite } from '../../packages/base/src/sqlite.ts'
import type { Ledger } from '../../packages/ledger/src/ledger.ts'
import { systemClock } from '../../packages/base/src/clock.ts'
import { createPublicApp } from '../../src/receive/start-receiving.ts'
import { createPressure } from '../../src/receive/pressure.ts'
import { createReceiver, type Receiver } from '../../src/receive/receiver.ts'
import type { MayDeliver } from '../../src/receive/senders.ts'
import { createSampledLog, type SampledLog } from '../../packages/base/src/sampled-log.ts'
import { createVerify } from '../../packages/client/src/verify/verify.ts'
import { type RunningServer, startServer } from '../../packages/base/src/net/server.ts'
import { openLocalLedger } from '../../packages/ledger/src/open-local-ledger.ts'
import { captureLog, type LogCapture } from '../support/log-capture.ts'
import { webhookSecret } from '../support/webhook.ts'

type Mount = (receiver: Receiver, sampledLog: SampledLog) => RequestListener

/** Where the receiver can stand. */
export const mounts = {
  'an Express 5 app': (receiver: Receiver): RequestListener => {
    const app = express().post('/webhooks', receiver)
    return (req, res) => void app(req, res)
  },
  "pawl's own server": (receiver, sampledLog) => createPublicApp({ receiver, sampledLog }),
} satisfies Record<string, Mount>

export const oldSecret = 'the-secret-from-before-the-rotation-0001'
export const maxBodyBytes = 262_144

/** The receiver on a real ledger, listening on a free port. */
export interface ReceiverStand {
  url: string
  ledger: Ledger
  log: LogCapture
  /** Ids that were enqueued. */
  enqueued: string[]
  /** Outcome and code of every answer. */
  counted: string[]
  /** Reasons of the refusals that the ledger was told of. */
  noted: string[]
  /** Closes the ledger, then reads the refusals that its file holds. */
  closeAndReadRejections(): Promise<{ reason: string; bytes: number }[]>
  destroy(): Promise<void>
}

/** `now` is the receiver's clock. */
export async function startReceiverStand(
  mount: Mount,
  now: () => number = Date.now,
  {
    bodyTimeoutMs = 20_000,
    maxInFlight = 1_000,
    linesPerSecond = 1_000,
    mayDeliver,
  }: { bodyTimeoutMs?: number; maxInFlight?: number; linesPerSecond?: number; mayDeliver?: MayDeliver } = {},
): Promise<ReceiverStand> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-receive-'))
  const path = join(folder, 'pawl.db')
  const settings = { databaseUrl: `file:${path}`, sealingKeys: [] }
  const ledger = await openLocalLedger(settings, { clock: systemClock, onError() {} })
  const log = captureLog()
  const enqueued: string[] = []
  const counted: string[] = []
  const noted: string[] = []
  const pressure = createPressure({ maxInFlight, maxInFlightBytes: 10_000_000, readDiskRoom: undefined })
  const sampledLog = createSampledLog({ log: log.log, perSecond: linesPerSecond })
  const receiver = createReceiver({
    ...(mayDeliver && { mayDeliver }),
    verify: await createVerify([webhookSecret, oldSecret], now),
    ledger: {
      accept: ledger.accept,
      reject(rejection) {
        noted.push(rejection.reason)
        ledger.reject(rejection)
      },
    },
    noteDrift() {},
    pressure,
    enqueue: (id) => void enqueued.push(id),
    maxBodyBytes,
    bodyTimeoutMs,
    log: log.log,
    sampledLog,
    count: (outcome, code) => void counted.push(`${outcome} ${code}`),
  })
  const server: RunningServer = await startServer(mount(receiver, sampledLog), { host: '127.0.0.1', port: 0 })
  let isOpen = true
  const close = async () => {
    if (isOpen) await ledger.close()
    isOpen = false
  }
  return {
    url: server.url,
    ledger,
    log,
    enqueued,
    counted,
    noted,
    async closeAndReadRejections() {
      await close()
      const database = new Sqlite(path, { readonly: true })
      const rows = database.prepare('select reason, bytes from rejections order by id').all()
      database.close()
      // The compiler cannot see the columns of a query.
      return rows as { reason: string; bytes: number }[]
    },
    async destroy() {
      await server.close(0)
      pressure.close()
      sampledLog.close()
      await close()
      await rm(folder, { recursive: true })
    },
  }
}
