import { z } from 'zod'
import { lenient } from 'pawl-client/schemas/lenient'
import type { RequestFault } from 'pawl-client/schemas/faults'
import {
  cardBytesLimit,
  cardFormats,
  evidenceFormats,
  type FileFormat,
  formatOf,
  visiblePdfPages,
} from 'pawl-client/schemas/file-format'
import { base64, fileUrl } from 'pawl-client/schemas/text'
import { type ErrorCode } from 'pawl-client/schemas/documented-errors'
import { refuse, validationRefusal } from '../platform/refusal.ts'

/** Downloads a file from a client's URL. Rejects unless it reads the whole file. */
export type ReadFileUrl = (url: string) => Promise<Uint8Array>

/** A file of an allowed format in a request. */
export interface ReadFile {
  content: Uint8Array
  format: FileFormat
}

/** Files of a request, by the index of their items; null for evidence without a file. */
export interface RequestFiles {
  cards: ReadFile[]
  evidence: (ReadFile | null)[]
}

/** Rules for the files of a request. */
export interface FileRules {
  /** Only a BV refuses a card of an unknown format with `unsupported_file_type`. */
  cardsOf: 'benefit_verification' | 'other'
  /** Set for a PA, the only request with evidence files, including the appeal letter. */
  hasEvidence?: boolean
}

type Found = ReadFile | { fault: RequestFault } | { refusal: ErrorCode }

/** Reads all files of a valid request, and downloads each `file_url` (specification, Evidence item). Throws 422 with every faulty file, else the refusal of a download or card format. */
export async function readFiles(request: unknown, rules: FileRules, readFileUrl?: ReadFileUrl): Promise<RequestFiles> {
  const { cards, evidence, letter } = await lookAt(request, rules, readFileUrl)
  const found = [...cards, ...evidence, letter].flatMap((one) => one ?? [])
  const faults = found.flatMap((one) => ('fault' in one ? [one.fault] : []))
  if (faults.length > 0) throw validationRefusal(faults)
  for (const one of found) if ('refusal' in one) throw refuse(one.refusal)
  const isRead = (one: Found | null): one is ReadFile => one !== null && 'content' in one
  return {
    cards: cards.flatMap((one) => (isRead(one) ? [one] : [])),
    evidence: evidence.map((one) => (isRead(one) ? one : null)),
  }
}

/** Faults of the readable files in an invalid body, without downloads. */
export async function fileFaults(body: unknown, rules: FileRules): Promise<RequestFault[]> {
  const { cards, evidence, letter } = await lookAt(body, rules)
  return [...cards, ...evidence, letter].flatMap((one) => (one !== null && 'fault' in one ? [one.fault] : []))
}

const Upload = z.object({ file_content: lenient(base64), file_url: lenient(fileUrl) }).catch({})
const WithAsset = z.object({ asset: lenient(Upload) }).catch({})
const Uploads = z
  .object({
    insurance: z.array(Upload).catch([]),
    evidence: z.array(WithAsset).catch([]),
    appeal_details: z.object({ appeal_letter: WithAsset }).catch({ appeal_letter: {} }),
  })
  .catch({ insurance: [], evidence: [], appeal_details: { appeal_letter: {} } })
type Upload = z.infer<typeof Upload>

async function lookAt(body: unknown, { cardsOf, hasEvidence = false }: FileRules, readFileUrl?: ReadFileUrl) {
  const uploads = Uploads.parse(body)
  const assets = hasEvidence ? uploads.evidence : []
  const letter = hasEvidence ? uploads.appeal_details.appeal_letter.asset : undefined
  const [cards, evidence, read] = await Promise.all([
    Promise.all(uploads.insurance.map((card, index) => readCard(card, index, cardsOf))),
    Promise.all(assets.map(({ asset }, index) => readAsset(asset, ['evidence', String(index)], readFileUrl))),
    readAsset(letter, ['appeal_details', 'appeal_letter'], readFileUrl),
  ])
  return { cards, evidence, letter: read }
}

/** Reads an insurance card (specification, Card and evidence file rules); null without content. */
async function readCard({ file_content }: Upload, index: number, of: FileRules['cardsOf']): Promise<Found | null> {
  if (file_content === undefined) return null
  const content = Buffer.from(file_content, 'base64')
  const fault = (msg: string) => ({ fault: faultAt(['insurance', String(index), 'file_content'], msg) })
  if (content.length >= cardBytesLimit) return fault(`must have fewer than ${cardBytesLimit} bytes when decoded`)
  const format = await formatOf(content)
  if (format === undefined || !cardFormats.has(format))
    return of === 'benefit_verification'
      ? { refusal: 'unsupported_file_type' }
      : fault(`must be one of ${[...cardFormats].join(', ')}`)
  if (format === 'pdf' && visiblePdfPages(content) > 1) return fault('must be a PDF of one page')
  return { content, format }
}

/** Reads a piece of evidence; null without a file, or if downloads are off. */
async function readAsset(asset: Upload | undefined, at: string[], readFileUrl?: ReadFileUrl): Promise<Found | null> {
  const { file_content, file_url } = asset ?? {}
  if (file_content !== undefined)
    return ofEvidence(Buffer.from(file_content, 'base64'), [...at, 'asset', 'file_content'])
  if (file_url === undefined || readFileUrl === undefined) return null
  try {
    return await ofEvidence(await readFileUrl(file_url), [...at, 'asset', 'file_url'])
  } catch {
    // Withholds the reason: it would reveal hosts that the caller cannot reach.
    return { refusal: 'evidence_file_download_failed' }
  }
}

async function ofEvidence(content: Uint8Array, at: string[]): Promise<Found> {
  const format = await formatOf(content)
  if (format !== undefined && evidenceFormats.has(format)) return { content, format }
  return { fault: faultAt(at, `must be one of ${[...evidenceFormats].join(', ')}`) }
}

function faultAt(at: string[], msg: string): RequestFault {
  return { loc: ['body', ...at], msg, type: 'value_error' }
}
