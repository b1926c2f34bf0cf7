import type { FileFormat } from 'pawl-client/schemas/file-format'
import type { Shelf, Store, StoredRecord } from '../platform/store.ts'
import { minimalPdf } from './minimal-pdf.ts'
import type { ReadFile } from './request-files.ts'
import { silence } from './silence.ts'

/** Path prefix of files, both when served and in stored resources. */
export const filesPath = '/files/'

/** Titles of invented files, by kind. */
const kinds = {
  faxes: 'Fax',
  insurance: 'Insurance card',
  evidence: 'Evidence',
  attachments: 'Attachment',
  outreach: 'Outreach',
  recordings: 'Recording',
} as const

export const mediaTypes: Record<FileFormat, string> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  tiff: 'image/tiff',
  bmp: 'image/bmp',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
}

/** Path of a resource's file. The content type defaults to that of the name's extension. */
export function pathOfFile(file: {
  resourceId: string
  kind: keyof typeof kinds
  /** Distinguishes it from other files of its kind. */
  key?: string
  name: string
  contentType?: string | undefined
}): string {
  const { resourceId, kind, key, name, contentType } = file
  const parts = [resourceId, kind, ...(key === undefined ? [] : [key]), name]
  const path = filesPath + parts.map(encodeURIComponent).join('/')
  return contentType === undefined ? path : `${path}?${new URLSearchParams({ 'content-type': contentType }).toString()}`
}

/** Path of the upload at this index of a request. An unread file counts as a PDF. */
export function pathOfUpload(
  resourceId: string,
  kind: 'insurance' | 'evidence',
  index: number,
  file: Pick<ReadFile, 'format'> | null | undefined,
): string {
  return pathOfFile({ resourceId, kind, name: `${index}.${file?.format ?? 'pdf'}` })
}

export interface ServedFile {
  name: string
  contentType: string
  content: Buffer
}

/** A file uploaded by a request or a control; the id is its path. */
interface UploadRecord extends StoredRecord {
  kind: 'file'
  /** Base64. */
  content: string
}

/** The files of all resources. */
export interface Files {
  /** Stores the files uploaded with a resource's request. */
  keep(
    owner: { id: string; organization: string },
    kind: 'insurance' | 'evidence',
    files: readonly (ReadFile | null)[],
  ): void
  /** Stores a file under a path from `pathOfFile`. `content` is Base64. */
  keepAs(path: string, file: { organization: string; content: string }): void
  /** The uploaded file at a path. Without one, invents it by content type: a PDF page or text that names kind and resource, a one-pixel PNG, or a moment of silence. */
  at(url: URL): ServedFile
}

export function createFiles({ store }: { store: Store }): Files {
  const uploads: Shelf<UploadRecord> = store.shelf<UploadRecord>('file')

  const keepAs: Files['keepAs'] = (path, { organization, content }) => {
    const [id = path] = path.split('?')
    uploads.save({ kind: 'file', id, organization, content })
  }

  return {
    keepAs,
    keep: ({ id, organization }, kind, files) => {
      for (const [index, file] of files.entries()) {
        if (file === null) continue
        const content = Buffer.from(file.content).toString('base64')
        keepAs(pathOfUpload(id, kind, index, file), { organization, content })
      }
    },
    at: ({ pathname, searchParams }) => {
      const parts = pathname.slice(filesPath.length).split('/').map(decodeURIComponent)
      const [resourceId = '', kind = ''] = parts
      const name = parts.at(-1) ?? ''
      const contentType = searchParams.get('content-type') ?? typeOf(name)
      const upload = uploads.find(pathname)
      if (upload !== undefined) return { name, contentType, content: Buffer.from(upload.content, 'base64') }
      const title = Object.hasOwn(kinds, kind) ? kinds[kind as keyof typeof kinds] : 'File'
      const lines = [`${title} of ${resourceId}`, parts.slice(2).join(' ')]
      return { name, contentType, content: contentOf(contentType, lines) }
    },
  }
}

function typeOf(name: string): string {
  const extension = /[^.]*$/.exec(name)?.[0].toLowerCase() ?? ''
  const types: Partial<Record<string, string>> = {
    ...mediaTypes,
    jpg: mediaTypes.jpeg,
    wav: 'audio/wav',
    txt: 'text/plain',
  }
  return types[extension] ?? mediaTypes.pdf
}

function contentOf(contentType: string, lines: readonly string[]): Buffer {
  if (contentType === mediaTypes.pdf) return minimalPdf(lines)
  if (contentType === mediaTypes.png) return onePixel
  if (contentType === 'audio/wav') return silence
  return Buffer.from(`${lines.join('\n')}\n`)
}

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
