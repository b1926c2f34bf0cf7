import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createCaller } from './calls.ts'
import { reachStore } from './remote-store.ts'
import type { Store, StoreSettings } from './store.ts'
import { translation } from './translation.ts'

/** Runs the thread's script: JavaScript in the build; in the sources TypeScript, for which a thread must get its loader anew. */
function startThread(workerData: StoreSettings): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./thread.js', import.meta.url), { workerData })
  const load = `import('tsx/esm/api').then(({ tsImport }) => tsImport('./thread.ts', '${import.meta.url}'))`
  return new Worker(load, { workerData, eval: true, execArgv: [] })
}

/** Opens a store on a thread of its own: parsing deliveries, writing them and waiting for the disk then hold up neither handlers nor the answers to others. Rejects with why it could not be opened. */
export async function startStore(settings: StoreSettings): Promise<Store> {
  const thread = startThread(settings)
  const exited = new Promise<void>((resolve) => void thread.once('exit', () => resolve()))
  // Of the thread's own: what it says when the store is open, or cannot be.
  const [{ error }] = (await once(thread, 'message')) as [{ error: unknown }]
  if (error !== undefined) {
    await exited
    throw translation.read(error)
  }
  const caller = createCaller(thread, translation)
  thread.on('error', (cause) => {
    const broken = new Error('The thread of the ledger broke.', { cause })
    caller.end(broken)
    // Without its ledger the process has nothing to live for.
    throw broken
  })
  thread.on('exit', () => caller.end(new Error('The ledger is closed.')))
  const store = reachStore(caller)
  const close = async () => {
    // Of a thread that broke there is nothing left to close.
    await Promise.race([exited, store.ledger.close()])
    await exited
  }
  return { ...store, ledger: { ...store.ledger, close } }
}
