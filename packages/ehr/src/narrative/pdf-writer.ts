import type { Worker } from 'node:worker_threads'
import { describeError } from '@pawl/base/errors'
import { type Caller, createCaller } from '@pawl/base/threads/calls'
import { startThread } from '@pawl/base/threads/start-thread'
import type { Narrative } from './narrative.ts'
import { pdfErrors, PdfNotMade } from './pdf-errors.ts'

/** Makes PDFs on a thread of its own, since a long one takes seconds in which no delivery would be acknowledged. */
export interface PdfWriter {
  /** As `renderPdf`. Throws `PdfNotMade` if the thread ends, and `PackageMissing`. */
  write(this: void, narrative: Narrative): Promise<Uint8Array>
  /** Ends the thread, and the PDFs in progress. */
  close(this: void): Promise<void>
}

interface PdfThread {
  worker: Worker
  caller: Caller
  /** Number of PDFs that are being made. */
  inHand: number
}

/** Heap of the thread: five times what the largest PDF takes. */
const resourceLimits = { maxOldGenerationSizeMb: 256 }

/** Starts a thread with the first PDF, and with the next one after a thread has ended. */
export function createPdfWriter(): PdfWriter {
  let thread: Promise<PdfThread> | undefined
  let isClosed = false

  async function start(): Promise<PdfThread> {
    const worker = await startThread(new URL('pdf-thread.ts', import.meta.url), { resourceLimits })
    const caller = createCaller(worker, pdfErrors)
    let cause: unknown
    worker.on('error', (error) => void (cause = error))
    worker.once('exit', () => {
      thread = undefined
      const why = cause === undefined ? '' : ` (${describeError(cause).code})`
      caller.end(new PdfNotMade(`The thread that makes PDFs ended${why}.`, { cause }))
    })
    return { worker, caller, inHand: 0 }
  }

  function running(): Promise<PdfThread> {
    thread ??= start().catch((error: unknown) => {
      thread = undefined
      throw error
    })
    return thread
  }

  return {
    async write(narrative) {
      if (isClosed) throw new PdfNotMade('The chart is closed.')
      const own = await running()
      own.inHand += 1
      own.worker.ref()
      try {
        // Answered by pdf-thread.ts.
        return (await own.caller.call('renderPdf', narrative)) as Uint8Array
      } finally {
        own.inHand -= 1
        // An idle thread must not keep the process alive.
        if (own.inHand === 0) own.worker.unref()
      }
    },
    async close() {
      isClosed = true
      const own = await thread?.catch(() => undefined)
      await own?.worker.terminate()
    },
  }
}
