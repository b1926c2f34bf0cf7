import { parentPort } from 'node:worker_threads'
import { answerCalls } from '@pawl/base/threads/calls'
import { yieldToDeliveries } from '@pawl/base/threads/yield-to-deliveries'
import { pdfErrors } from './pdf-errors.ts'
import { renderPdf } from './render-pdf.ts'

if (parentPort !== null) {
  yieldToDeliveries()
  answerCalls(parentPort, { renderPdf }, pdfErrors)
}
