import { minimalPdf } from './minimal-pdf.ts'

/** The path under which files are served, and by which stored resources name them. */
export const filesPath = '/files/'

/** What a file is, as its text says. */
const kinds = {
  faxes: 'Fax',
  insurance: 'Insurance card',
  evidence: 'Evidence',
  attachments: 'Attachment',
  outreach: 'Outreach',
} as const

/** The path of a file of a resource. Its content type follows from the extension of its name unless it is given. */
export function pathOfFile(file: {
  resourceId: string
  kind: keyof typeof kinds
  /** Tells it apart from others of its kind. */
  key?: string
  name: string
  contentType?: string | undefined
}): string {
  const { resourceId, kind, key, name, contentType } = file
  const parts = [resourceId, kind, ...(key === undefined ? [] : [key]), name]
  const path = filesPath + parts.map(encodeURIComponent).join('/')
  return contentType === undefined ? path : `${path}?${new URLSearchParams({ 'content-type': contentType }).toString()}`
}

/** A file as it is served. */
export interface HeldFile {
  name: string
  contentType: string
  content: Buffer
}

/** The file at a path: one page of a PDF, or else a text, that says what it is and whose; a PNG is a single pixel. */
export function fileAt({ pathname, searchParams }: URL): HeldFile {
  const parts = pathname.slice(filesPath.length).split('/').map(decodeURIComponent)
  const [resourceId = '', kind = ''] = parts
  const name = parts.at(-1) ?? ''
  const contentType = searchParams.get('content-type') ?? (/\.png$/i.test(name) ? 'image/png' : 'application/pdf')
  const title = Object.hasOwn(kinds, kind) ? kinds[kind as keyof typeof kinds] : 'File'
  return { name, contentType, content: contentOf(contentType, [`${title} of ${resourceId}`, parts.slice(2).join(' ')]) }
}

function contentOf(contentType: string, lines: readonly string[]): Buffer {
  if (contentType === 'application/pdf') return minimalPdf(lines)
  if (contentType === 'image/png') return onePixel
  return Buffer.from(`${lines.join('\n')}\n`)
}

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
