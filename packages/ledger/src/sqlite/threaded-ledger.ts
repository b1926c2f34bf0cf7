import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeError, PawlError, type Retry } from '@pawl/base/errors'
import { createCaller } from '@pawl/base/threads/calls'
import { startThread } from '@pawl/base/threads/start-thread'
import { reachLedger, type Remote } from './remote-ledger.ts'
import type { Ledger, LedgerSettings } from '../ledger.ts'
import { errorCodec } from './error-codec.ts'
import type { Opened, ThreadData } from './thread.ts'

/** How long the thread may take to end, in milliseconds. */
const closeTimeoutMs = 8_000

/** The ledger's thread exited, and the ledger is unusable: the process has to end; the next one finds every commit. */
class LedgerBroken extends PawlError {
  readonly code = 'ledger_broken'
  override readonly retry: Retry = 'backoff'
}

/** A thread that serves calls. */
interface Thread extends Remote {
  /** In bounded time. */
  close(): Promise<void>
}

/** Starts a thread and waits until it has opened its ledger or views, which it does when `ready` resolves. Rejects if it cannot, or if `ready` rejects. */
async function openThread(data: ThreadData, ready: Promise<unknown> = Promise.resolve()): Promise<Thread> {
  const thread = await startThread(new URL('thread.ts', import.meta.url), { workerData: data })
  const exited = new Promise<void>((resolve) => void thread.once('exit', () => resolve()))
  const neverOpened = exited.then(() => {
    throw new LedgerBroken("The ledger's thread exited before the ledger was open.")
  })
  void ready.then(
    () => thread.postMessage('open'),
    () => thread.terminate(),
  )
  // The thread's own channel: it reports whether the ledger is open.
  const [opened] = (await Promise.race([once(thread, 'message'), neverOpened])) as [Opened]
  if ('error' in opened) {
    await exited
    throw errorCodec.read(opened.error)
  }
  const caller = createCaller(thread, errorCodec)
  let isOver = false
  const breakOff = (why: string, cause?: unknown) => {
    isOver = true
    const broken = new LedgerBroken(`The ledger's thread failed (${why}): pawl exits.`, { cause })
    caller.end(broken)
    // Without its ledger the process cannot continue.
    throw broken
  }
  thread.on('error', (cause) => {
    const { code, message } = describeError(cause)
    breakOff(`${code}: ${message}`, cause)
  })
  thread.on('exit', () => {
    if (!isOver) breakOff('exited unexpectedly')
    caller.end(new Error('The ledger is closed.'))
  })
  async function close(): Promise<void> {
    // A broken thread has nothing left to close.
    const over = isOver ? exited : caller.call('close').then(() => exited)
    isOver = true
    const isClosed = await Promise.race([
      over.then(
        () => true,
        () => false,
      ),
      sleep(closeTimeoutMs, false, { ref: false }),
    ])
    // The thread could not close, or waits for a hung disk; commits are safe.
    if (!isClosed) void thread.terminate()
  }
  return { caller, names: opened.names, close }
}

/** Opens a ledger on one thread, and its views on another. Hashing, sealing and disk waits then block neither handlers nor other requests, and readers never block writers. Rejects if it cannot be opened. If a thread breaks later, `LedgerBroken` is thrown as an uncaught exception. */
export async function openThreadedLedger(settings: LedgerSettings): Promise<Ledger> {
  const opening = openThread({ settings, serves: 'ledger' })
  // Both load their modules at once; the ledger's thread creates the file that the views' thread opens.
  const both = Promise.all([opening, openThread({ settings, serves: 'views' }, opening)])
  const [ledger, views] = await both.catch(async (error: unknown) => {
    await (await opening).close()
    throw error
  })
  /** Closes the ledger's thread last: the last to leave the file writes the log back. */
  async function close(): Promise<void> {
    await views.close()
    await ledger.close()
  }
  let closed: Promise<void> | undefined
  return { ...reachLedger(ledger, views), close: () => (closed ??= close()) }
}
