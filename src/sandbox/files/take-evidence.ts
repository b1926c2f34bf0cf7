import type { RequestFault } from '../../resources/requests/faults.ts'
import { evidenceFormats, type FileFormat, formatOf } from '../../resources/requests/file-format.ts'
import type { PriorAuthorizationRequest } from '../../resources/requests/prior-authorization.ts'
import { refuse } from '../documented-errors.ts'
import { validationRefusal } from '../errors.ts'
import type { Download } from './download.ts'

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

/** The recognised media type of each piece of evidence, in order; null where it is no file. */
export type EvidenceTypes = (string | null)[]

/**
 * Takes every file of a PA request at once, the appeal letter too: what is referred to is downloaded now (specification, Evidence item).
 * Throws `evidence_file_download_failed`, or 422 with every file that is not in one of the formats for evidence.
 */
export async function takeEvidence(request: PriorAuthorizationRequest, download: Download): Promise<EvidenceTypes> {
  const evidence = (request.evidence ?? []).map(({ asset }, index) => ({ asset, at: ['evidence', String(index)] }))
  const letter = { asset: request.appeal_details?.appeal_letter.asset, at: ['appeal_details', 'appeal_letter'] }
  const taken = await Promise.all([...evidence, letter].map(({ asset, at }) => take(asset, at, download)))
  const faults = taken.flatMap(({ fault }) => (fault === undefined ? [] : [fault]))
  if (faults.length > 0) throw validationRefusal(faults)
  return taken.slice(0, -1).map(({ type }) => type)
}

async function take(asset: Asset | undefined, at: string[], download: Download) {
  if (asset === undefined) return { type: null }
  const format = await formatOf(await bytesOf(asset, download))
  if (format !== undefined && evidenceFormats.has(format)) return { type: mediaTypes[format] }
  const field = asset.file_url === undefined ? 'file_content' : 'file_url'
  const fault: RequestFault = {
    loc: ['body', ...at, 'asset', field],
    msg: `must be one of ${[...evidenceFormats].join(', ')}`,
    type: 'value_error',
  }
  return { type: null, fault }
}

async function bytesOf({ file_content = '', file_url }: Asset, download: Download): Promise<Buffer> {
  if (file_url === undefined) return Buffer.from(file_content, 'base64')
  try {
    return await download(file_url)
  } catch {
    // Why is not told: it would tell a caller about hosts that it cannot reach itself.
    throw refuse('evidence_file_download_failed')
  }
}
