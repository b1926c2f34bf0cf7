import type { RequestFault } from '../../resources/requests/faults.ts'
import { cardBytesLimit, cardFormats, formatOf, visiblePdfPages } from '../../resources/requests/file-format.ts'
import { refuse } from '../documented-errors.ts'
import { validationRefusal } from '../errors.ts'

type Cards = readonly { file_content: string }[]

const fault = (index: number, msg: string): RequestFault => ({
  loc: ['body', 'insurance', String(index), 'file_content'],
  msg,
  type: 'value_error',
})

/**
 * Holds insurance cards to their rules (specification, Card and evidence file rules): rejects with 422 with every faulty card. A BV answers an
 * unknown format with `unsupported_file_type` instead, which is never returned for anything else.
 */
export async function checkCards(cards: Cards | undefined, of: 'benefit_verification' | 'other'): Promise<void> {
  const files = (cards ?? []).map(({ file_content }) => Buffer.from(file_content, 'base64'))
  const messages = await Promise.all(files.map((file) => faultOf(file, of)))
  const faults = messages.flatMap((message, index) => (message === undefined ? [] : [fault(index, message)]))
  if (faults.length > 0) throw validationRefusal(faults)
}

async function faultOf(file: Buffer, of: 'benefit_verification' | 'other'): Promise<string | undefined> {
  if (file.length >= cardBytesLimit) return `must have fewer than ${cardBytesLimit} bytes when decoded`
  const format = await formatOf(file)
  if (format === undefined || !cardFormats.has(format)) {
    if (of === 'benefit_verification') throw refuse('unsupported_file_type')
    return `must be one of ${[...cardFormats].join(', ')}`
  }
  if (format === 'pdf' && visiblePdfPages(file) > 1) return 'must be a PDF of one page'
  return undefined
}
