import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describeError, PawlError, type Retry } from '../../base/errors.ts'
import { createCaller } from './calls.ts'
import { reachLedger, type Remote } from './remote-ledger.ts'
import type { Ledger, LedgerSettings } from '../ledger.ts'
import { errorCodec } from './error-codec.ts'
import type { Opened, ThreadData } from './thread.ts'
import { bundleThread } from './thread-of-sources.ts'

/** Runs the thread's script: that of the build, or of the sources. */
async function startThread(workerData: ThreadData): Promise<Worker> {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./thread.js', import.meta.url), { workerData })
  return new Worker(await bundleThread(), { workerData, eval: true, execArgv: [] })
}

/** How long the thread may take to end, in milliseconds. */
const closeTimeoutMs = 8_000

/** The thread of the ledger is gone, and nothing can be stored or read any more: the process has to end, the next one finds all that was committed. */
export class LedgerBroken extends PawlError {
  readonly code = 'ledger_broken'
  override readonly retry: Retry = 'backoff'
}

/** A thread that answers calls. */
interface Thread extends Remote {
  /** In bounded time. */
  close(): Promise<void>
}

/** Starts a thread and waits until it has opened what it serves. Rejects with why it could not. */
async function openThread(data: ThreadData): Promise<Thread> {
  const thread = await startThread(data)
  const exited = new Promise<void>((resolve) => void thread.once('exit', () => resolve()))
  const neverOpened = exited.then(() => {
    throw new LedgerBroken('The thread of the ledger ended before the ledger was open.')
  })
  // Of the thread's own: what it says when the ledger is open, or cannot be.
  const [opened] = (await Promise.race([once(thread, 'message'), neverOpened])) as [Opened]
  if ('error' in opened) {
    await exited
    throw errorCodec.read(opened.error)
  }
  const caller = createCaller(thread, errorCodec)
  let isOver = false
  const breakOff = (why: string, cause?: unknown) => {
    isOver = true
    const broken = new LedgerBroken(`The thread of the ledger broke (${why}), and pawl ends.`, { cause })
    caller.end(broken)
    // Without its ledger the process has nothing to live for.
    throw broken
  }
  thread.on('error', (cause) => {
    const { code, message } = describeError(cause)
    breakOff(`${code}: ${message}`, cause)
  })
  thread.on('exit', () => {
    if (!isOver) breakOff('it ended without a word')
    caller.end(new Error('The ledger is closed.'))
  })
  async function close(): Promise<void> {
    // Of a thread that broke there is nothing left to close.
    const over = isOver ? exited : caller.call('close').then(() => exited)
    isOver = true
    const isClosed = await Promise.race([
      over.then(
        () => true,
        () => false,
      ),
      sleep(closeTimeoutMs, false, { ref: false }),
    ])
    // It could not close, or waits for a disk that does not answer; what was committed is safe.
    if (!isClosed) void thread.terminate()
  }
  return { caller, names: opened.names, close }
}

/** Opens a ledger on a thread of its own, and its views on another: hashing, sealing and writing deliveries and waiting for the disk then hold up neither handlers nor the answers to others, and no reader holds up those who write. Rejects with why it could not be opened. When a thread breaks later, `LedgerBroken` is thrown where nobody catches it. */
export async function openThreadedLedger(settings: LedgerSettings): Promise<Ledger> {
  // First, as it makes the file.
  const ledger = await openThread({ settings, serves: 'ledger' })
  const views = await openThread({ settings, serves: 'views' }).catch(async (error: unknown) => {
    await ledger.close()
    throw error
  })
  /** The ledger's thread is the last to leave the file, which it then writes the log back to. */
  async function close(): Promise<void> {
    await views.close()
    await ledger.close()
  }
  let closed: Promise<void> | undefined
  return { ...reachLedger(ledger, views), close: () => (closed ??= close()) }
}
