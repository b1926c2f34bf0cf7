import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../clock.ts'
import { serveStore } from './remote-ledger.ts'
import { openStore, type StoreSettings } from '../open-ledger.ts'
import { translation } from './error-codec.ts'

/** The thread of a store: opens it, says so, or why not, and answers calls until its ledger is closed. */
async function main(port: NonNullable<typeof parentPort>): Promise<void> {
  try {
    // As start-store.ts sends them.
    const store = await openStore(workerData as StoreSettings, { clock: systemClock, onError: () => {} })
    const close = async () => {
      await store.ledger.close()
      // Behind the answer to this call.
      setImmediate(() => port.close())
    }
    serveStore(port, { ...store, ledger: { ...store.ledger, close } })
    port.postMessage({ error: undefined })
  } catch (error) {
    port.postMessage({ error: translation.write(error) })
    port.close()
  }
}

if (parentPort !== null) await main(parentPort)
