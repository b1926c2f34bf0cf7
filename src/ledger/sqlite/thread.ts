import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../base/clock.ts'
import { createViews, type Views } from '../views/create-views.ts'
import type { Ledger, LedgerSettings } from '../ledger.ts'
import { openLocalLedger } from '../open-local-ledger.ts'
import { createSeal } from '../sealing/seal.ts'
import { errorCodec } from './error-codec.ts'
import { openSqliteViews } from './open-sqlite.ts'
import { serveLedger } from './remote-ledger.ts'

/** What a thread is started with: the ledger, or its views alone. */
export interface ThreadData {
  settings: LedgerSettings
  serves: 'ledger' | 'views'
}

/** The first message of a thread: the methods that it answers for, or why it could not open. */
export type Opened = { names: string[] } | { error: unknown }

/** A thread of a ledger: opens it, says so, or why not, and answers calls until it is closed. */
async function main(port: NonNullable<typeof parentPort>): Promise<void> {
  try {
    // As threaded-ledger.ts sends it.
    const { settings, serves } = workerData as ThreadData
    const opened = await (serves === 'ledger' ? openLocalLedger(settings, { onError: () => {} }) : openViews(settings))
    const close: Ledger['close'] = async () => {
      await opened.close()
      // Behind the answer to this call.
      setImmediate(() => port.close())
    }
    const names = serveLedger(port, { ...opened, close })
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

if (parentPort !== null) void main(parentPort)
