import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PackageMissing } from '../../base/src/optional-packages.ts'
import type { Ehr } from '../src/ehr.ts'
import type { Narrative } from '../src/narrative/narrative.ts'
import { pdfErrors } from '../src/narrative/pdf-errors.ts'
import { createPdfWriter } from '../src/narrative/pdf-writer.ts'
import { renderPdf } from '../src/narrative/render-pdf.ts'
import { fullPriorAuthorization } from '../../../test/support/full-samples.ts'
import { startHl7Listener } from '../../../test/support/hl7-listener.ts'
import { createTestRun } from '../../../test/support/run-context.ts'
import { openHl7 } from './hl7/open-hl7.ts'
import { startMappedChart } from './mapped-chart.ts'

/** As many characters as a PDF holds, none of which its font has: the slowest. */
const largest: Narrative = { title: 'A note', lead: '', sections: [{ heading: '', paragraphs: ['漢'.repeat(49_000)] }] }
const small: Narrative = { title: 'A note', lead: '', sections: [] }
const notMade = { code: 'pdf_not_made', retry: 'backoff' }

/** The threads that this process starts during a test. */
let threads: Worker[] = []
const noteThread = (thread: Worker) => void threads.push(thread)
beforeEach(() => {
  threads = []
  process.on('worker', noteThread)
})
afterEach(() => void process.off('worker', noteThread))

/** The number of a thread; -1 once it has ended. */
const numbersOf = (all: readonly Worker[]) => all.map(({ threadId }) => threadId)

describe('a writer of PDFs', () => {
  it('makes what renderPdf makes, and leaves the event loop to deliveries meanwhile', async () => {
    const pdfs = createPdfWriter()
    try {
      expect(Buffer.compare(await pdfs.write(small), renderPdf(small))).toBe(0)
      let turns = 0
      let isMade = false
      const turn = () => {
        turns += 1
        if (!isMade) setImmediate(turn)
      }
      setImmediate(turn)
      const made = await pdfs.write(largest)
      isMade = true
      // Two turns carry the narrative to the thread and the PDF back.
      expect(turns).toBeGreaterThan(50)
      expect(Buffer.compare(made, renderPdf(largest))).toBe(0)
    } finally {
      await pdfs.close()
    }
  })

  it('of a thread that ends in the middle says so with a verdict, and makes the next PDF on another', async () => {
    const pdfs = createPdfWriter()
    try {
      await pdfs.write(small)
      const [first] = threads
      const pending = [pdfs.write(largest), pdfs.write(small)].map((each) =>
        expect(each).rejects.toMatchObject(notMade),
      )
      // Sent by then.
      await new Promise((resolve) => void setImmediate(() => setImmediate(resolve)))
      await first?.terminate()
      await Promise.all(pending)
      expect(Buffer.compare(await pdfs.write(small), renderPdf(small))).toBe(0)
      expect(threads).toHaveLength(2)
    } finally {
      await pdfs.close()
    }
  })

  it('once closed has no thread, has given up what it was making, and makes no more', async () => {
    const idle = createPdfWriter()
    await idle.write(small)
    await idle.close()
    const busy = createPdfWriter()
    await busy.write(small)
    const given = expect(busy.write(largest)).rejects.toMatchObject(notMade)
    await busy.close()
    await given
    const starting = createPdfWriter()
    const never = expect(starting.write(small)).rejects.toMatchObject(notMade)
    await starting.close()
    await never
    const unused = createPdfWriter()
    await unused.close()
    for (const pdfs of [idle, busy, starting, unused]) await expect(pdfs.write(small)).rejects.toMatchObject(notMade)
    expect(numbersOf(threads)).toEqual([-1, -1, -1])
  })
})

it('an error of a PDF keeps its class on its way from the thread', () => {
  const missing = new PackageMissing('application/pdf: needs a package.')
  const read = pdfErrors.read(structuredClone(pdfErrors.write(missing)))
  expect(read).toBeInstanceOf(PackageMissing)
  expect(read.message).toBe(missing.message)
})

describe.each<[name: string, open: () => Promise<{ ehr: Ehr; close: () => Promise<void> }>]>([
  [
    'a FHIR chart',
    async () => {
      const documents = { formats: ['application/pdf'], author: { display: 'Desk' } } as const
      const { chart, system, open } = await startMappedChart({ documents })
      const close = async () => {
        await system.close?.()
        await chart.close()
      }
      return { ehr: open(), close }
    },
  ],
  [
    'a listener of HL7 v2',
    async () => {
      const listener = await startHl7Listener()
      const system = openHl7(listener.port, { content: 'PDF' })
      const close = async () => {
        await system.close?.()
        await listener.close()
      }
      return { ehr: system.open(createTestRun()), close }
    },
  ],
])('%s that takes PDFs', (_, start) => {
  it('gets them from a thread: one that ends fails the write alone, and none is left once the chart is closed', async () => {
    const { ehr, close } = await start()
    const pa = fullPriorAuthorization()
    process.once('worker', (thread) => void thread.terminate())
    await expect(ehr.putPriorAuthorization(pa)).rejects.toMatchObject(notMade)
    await ehr.putPriorAuthorization(pa)
    await ehr.putNote(pa, { key: 'call', title: 'A note', text: 'Words' })
    expect(threads).toHaveLength(2)
    await close()
    expect(numbersOf(threads)).toEqual([-1, -1])
  })
})
