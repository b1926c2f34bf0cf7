import type { RequestFault } from '../../resources/requests/faults.ts'
import { evidenceFormats, type FileFormat, formatOf } from '../../resources/requests/file-format.ts'
import type { PriorAuthorizationRequest } from '../../resources/requests/prior-authorization.ts'
import { refuse } from '../platform/documented-errors.ts'
import { validationRefusal } from '../platform/refusal.ts'

/** Downloads a file from a URL that a client chose. Rejects unless the whole file was read. */
export type ReadFileUrl = (url: string) => Promise<Uint8Array>

type Asset = NonNullable<NonNullable<PriorAuthorizationRequest['evidence']>[number]['asset']>

const mediaTypes: Record<FileFormat, string> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  tiff: 'image/tiff',
  bmp: 'image/bmp',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
}

/** The detected media type of each piece of evidence, in order; null for evidence without a file. */
export type EvidenceTypes = (string | null)[]

/**
 * Reads every file of a PA request, the appeal letter included; a `file_url` is downloaded now (specification, Evidence item).
 * Throws `evidence_file_download_failed`, or 422 with every file that is not in one of the formats for evidence.
 */
export async function ingestEvidence(
  request: PriorAuthorizationRequest,
  readFileUrl: ReadFileUrl,
): Promise<EvidenceTypes> {
  const evidence = (request.evidence ?? []).map(({ asset }, index) => ({ asset, at: ['evidence', String(index)] }))
  const letter = { asset: request.appeal_details?.appeal_letter.asset, at: ['appeal_details', 'appeal_letter'] }
  const files = await Promise.all([...evidence, letter].map(({ asset, at }) => ingest(asset, at, readFileUrl)))
  const faults = files.flatMap(({ fault }) => (fault === undefined ? [] : [fault]))
  if (faults.length > 0) throw validationRefusal(faults)
  return files.slice(0, -1).map(({ type }) => type)
}

async function ingest(asset: Asset | undefined, at: string[], readFileUrl: ReadFileUrl) {
  if (asset === undefined) return { type: null }
  const format = await formatOf(await bytesOf(asset, readFileUrl))
  if (format !== undefined && evidenceFormats.has(format)) return { type: mediaTypes[format] }
  const field = asset.file_url === undefined ? 'file_content' : 'file_url'
  const fault: RequestFault = {
    loc: ['body', ...at, 'asset', field],
    msg: `must be one of ${[...evidenceFormats].join(', ')}`,
    type: 'value_error',
  }
  return { type: null, fault }
}

async function bytesOf({ file_content = '', file_url }: Asset, readFileUrl: ReadFileUrl): Promise<Uint8Array> {
  if (file_url === undefined) return Buffer.from(file_content, 'base64')
  try {
    return await readFileUrl(file_url)
  } catch {
    // The reason is withheld: it would reveal hosts that the caller cannot reach itself.
    throw refuse('evidence_file_download_failed')
  }
}
