import { type FarSide, type FarSideAnswer, startFarSide } from '../../testing/src/far-side.ts'

const start = (bytes: string, rest = '') => Buffer.from(`${bytes}${rest}`, 'latin1')

/** The smallest thing that each format is recognised by. */
export const files = {
  jpeg: start('\xff\xd8\xff\xe0'),
  png: start('\x89PNG\r\n\x1a\n\0\0\0\0IDAT'),
  tiff: start('II*\0'),
  bmp: start('BM'),
  pdf: start('%PDF-1.7 << /Type /Page >>'),
  heic: start('\0\0\0\x18ftypheic\0\0\0\0mif1heic'),
  heif: start('\0\0\0\x14ftypmif1\0\0\0\0mif1'),
  pdfOfTwoPages: start('%PDF-1.7 << /Type /Page >> << /Type/Page >>'),
  text: start('hello'),
} as const

const page = (id: number, rotation = 0) => `${id} 0 obj << /Type /Page /Parent 2 0 R /Rotate ${rotation} >> endobj\n`
const tree = (kids: string, count: number) => `2 0 obj << /Type /Pages /Kids [${kids}] /Count ${count} >> endobj\n`
const catalog = '1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n'
const end = 'xref\ntrailer << /Root 1 0 R >>\nstartxref\n9\n%%EOF\n'
const two = `${page(3)}${page(4)}`
const pdf = (...sections: string[]) => start('%PDF-1.7\n', sections.map((section) => section + end).join(''))

/** PDF files as programs save them: every save but the first appends what it changed. */
export const savedPdfs = {
  'saved once': {
    onePage: pdf(catalog + tree('3 0 R', 1) + page(3)),
    twoPages: pdf(catalog + tree('3 0 R 4 0 R', 2) + two),
  },
  'a page saved again': {
    onePage: pdf(catalog + tree('3 0 R', 1) + page(3), page(3, 90), page(3, 180)),
    twoPages: pdf(catalog + tree('3 0 R 4 0 R', 2) + two, page(3, 90)),
  },
  'a page removed or added later': {
    onePage: pdf(catalog + tree('3 0 R 4 0 R', 2) + two, tree('4 0 R', 1)),
    twoPages: pdf(catalog + tree('3 0 R', 1) + page(3), tree('3 0 R 4 0 R', 2) + page(4)),
  },
  'a count that is kept elsewhere': {
    onePage: pdf(
      `${catalog}2 0 obj << /Type /Pages /Kids [3 0 R] /Count 5 0 R >> endobj\n${page(3)}5 0 obj 1 endobj\n`,
    ),
    twoPages: pdf(
      `${catalog}2 0 obj << /Type /Pages /Kids [3 0 R 4 0 R] /Count 5 0 R >> endobj\n${two}5 0 obj 2 endobj\n`,
    ),
  },
  'text in a stream that looks like pages': {
    onePage: pdf(
      `${catalog}${tree('3 0 R', 1)}${page(3)}6 0 obj << >> stream\n${tree('3 0 R 4 0 R', 2)}${two}endstream endobj\n`,
    ),
    twoPages: pdf(
      `${catalog}${tree('3 0 R 4 0 R', 2)}${two}6 0 obj << >> stream\n${tree('3 0 R', 1)}endstream endobj\n`,
    ),
  },
} as const

/** A file as a request carries it. */
export const content = (file: Buffer) => ({ file_content: file.toString('base64') })

/** A web server that answers each path with a status (default 200), headers and a body, or never. */
export function startFileServer(answers: Record<string, Partial<FarSideAnswer> | 'silence'>): Promise<FarSide> {
  return startFarSide(({ path }) => {
    const answer = answers[path] ?? { status: 404 }
    return answer === 'silence' ? answer : { status: 200, ...answer }
  })
}
