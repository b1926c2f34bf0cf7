import { parentPort, workerData } from 'node:worker_threads'
import type { LedgerSettings } from '../ledger.ts'
import { openLocalLedger } from '../open-local-ledger.ts'
import { serveLedger } from './remote-ledger.ts'
import { errorCodec } from './error-codec.ts'

/** The thread of a ledger: opens it, says so, or why not, and answers calls until it is closed. */
async function main(port: NonNullable<typeof parentPort>): Promise<void> {
  try {
    // As threaded-ledger.ts sends them.
    const ledger = await openLocalLedger(workerData as LedgerSettings, { onError: () => {} })
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
