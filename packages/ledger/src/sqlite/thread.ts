import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '@pawl/base/clock'
import { yieldToDeliveries } from '@pawl/base/threads/yield-to-deliveries'
import { createViews, type Views } from '../views/create-views.ts'
import type { Ledger, LedgerSettings } from '../ledger.ts'
import { openLocalLedger } from '../open-local-ledger.ts'
import { createSeal } from '../sealing/seal.ts'
import { errorCodec } from './error-codec.ts'
import { openSqliteViews } from './open-sqlite.ts'
import { serveLedger } from './remote-ledger.ts'

/** Start data of a thread: for the ledger, or its views only. */
export interface ThreadData {
  settings: LedgerSettings
  serves: 'ledger' | 'views'
}

/** A thread's first message: the methods it serves, or why it could not open. */
export type Opened = { names: string[] } | { error: unknown }

/** Opens the ledger when told to, reports the result, and serves calls until it is closed. */
async function main(port: NonNullable<typeof parentPort>): Promise<void> {
  try {
    // Sent by threaded-ledger.ts.
    const { settings, serves } = workerData as ThreadData
    const opened = await (serves === 'ledger' ? openLocalLedger(settings, { onError: () => {} }) : openViews(settings))
    const close: Ledger['close'] = async () => {
      await opened.close()
      // After the reply to this call.
      setImmediate(() => port.close())
    }
    const names = serveLedger(port, { ...opened, close })
    if (serves === 'views') yieldToDeliveries()
    port.postMessage({ names } satisfies Opened)
  } catch (error) {
    port.postMessage({ error: errorCodec.write(error) } satisfies Opened)
    port.close()
  }
}

async function openViews({ databaseUrl, sealingKeys }: LedgerSettings): Promise<Views & Pick<Ledger, 'close'>> {
  const storage = await openSqliteViews(databaseUrl.slice('file:'.length), systemClock)
  return { ...createViews({ storage, seal: createSeal(sealingKeys) }), close: () => storage.views.destroy() }
}

if (parentPort !== null) {
  const port = parentPort
  port.once('message', () => void main(port))
}
