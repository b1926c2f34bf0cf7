import { parentPort, workerData } from 'node:worker_threads'
import type { LedgerSettings } from '../ledger.ts'
import { systemClock } from '../../clock.ts'
import { openBodyStore } from '../bodies/open-body-store.ts'
import { createLedger } from '../create-ledger.ts'
import { openStorage } from '../open-storage.ts'
import { serveLedger } from './remote-ledger.ts'
import { createSeal } from '../seal.ts'
import { errorCodec } from './error-codec.ts'

/** The thread of a ledger: opens it, says so, or why not, and answers calls until it is closed. */
async function main(port: NonNullable<typeof parentPort>): Promise<void> {
  try {
    // As threaded-ledger.ts sends them.
    const { databaseUrl, sealingKeys, bodyStore: store } = workerData as LedgerSettings
    const storage = await openStorage(databaseUrl, { clock: systemClock, onError: () => {} })
    const bodyStore = store && (await openBodyStore(store))
    const ledger = createLedger({ storage, seal: createSeal(sealingKeys), bodyStore })
    const close = async () => {
      await ledger.close()
      // Behind the answer to this call.
      setImmediate(() => port.close())
    }
    serveLedger(port, { ...ledger, close })
    port.postMessage({ error: undefined })
  } catch (error) {
    port.postMessage({ error: errorCodec.write(error) })
    port.close()
  }
}

if (parentPort !== null) void main(parentPort)
