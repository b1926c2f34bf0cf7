import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCardFile, readEvidenceFile } from '../../src/api/request-file.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-files-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function put(start: string, size = 64): Promise<string> {
  const path = join(folder, 'testa-sample-card')
  const file = Buffer.alloc(size)
  file.write(start, 'latin1')
  await writeFile(path, file)
  return path
}

const starts = {
  jpeg: '\xff\xd8\xff\xe0',
  png: '\x89PNG\r\n\x1a\n\0\0\0\0IDAT',
  tiff: 'II*\0',
  'big-endian tiff': 'MM\0*',
  'tiff of 28 tags': 'II*\0\x08\0\0\0\x1c\0\xfe\0',
  bmp: 'BM',
  heic: '\0\0\0\x18ftypheic',
  'heic by a compatible brand': '\0\0\0\x18ftypmif1\0\0\0\0mif1heic',
  'heic for several views': '\0\0\0\x18ftypheim',
  heif: '\0\0\0\x14ftypmif1\0\0\0\0mif1heic',
  pdf: '%PDF-1.7\n1 0 obj << /Type /Pages /Kids [2 0 R] >> << /Type /Page >>',
}
const forCards = [
  'jpeg',
  'png',
  'tiff',
  'big-endian tiff',
  'tiff of 28 tags',
  'bmp',
  'heic',
  'heic by a compatible brand',
  'heic for several views',
  'pdf',
]
const forEvidence = ['pdf', 'jpeg', 'png', 'heic', 'heic by a compatible brand', 'heic for several views', 'heif']

describe.each([
  ['a card', readCardFile, forCards],
  ['evidence', readEvidenceFile, forEvidence],
])('%s', (_name, read, allowed) => {
  it.each(Object.entries(starts))('as %s is taken or refused by its content', async (format, start) => {
    const path = await put(start, 512)
    if (allowed.includes(format)) {
      expect(Buffer.from((await read(path)).file_content, 'base64')).toHaveLength(512)
    } else {
      await expect(read(path)).rejects.toMatchObject({ code: 'file_unusable', reason: 'format', retry: 'never' })
    }
  })

  it.each([
    'PK\x03\x04',
    'plain words',
    '\0\0\0\x18ftypavif',
    '\0\0\0\x18ftypisom',
    '\xff\xd8',
    '\x89PNG\r\n\x1a\nbroken',
  ])('that begins with %j is refused', async (start) => {
    const refusal = read(await put(start))
    await expect(refusal).rejects.toMatchObject({ reason: 'format' })
    await expect(refusal).rejects.not.toThrow(/testa/)
  })

  it('that is empty or a folder is refused', async () => {
    await expect(read(await put('', 0))).rejects.toMatchObject({ reason: 'empty' })
    await expect(read(folder)).rejects.toMatchObject({ reason: 'not_a_file' })
  })
})

it('a card stays below 4,194,304 bytes', async () => {
  await expect(readCardFile(await put(starts.png, 4_194_303))).resolves.toBeDefined()
  await expect(readCardFile(await put(starts.png, 4_194_304))).rejects.toMatchObject({ reason: 'too_large' })
  await expect(readEvidenceFile(await put(starts.png, 4_194_304))).resolves.toBeDefined()
})

it('a card that shows no page openly is taken as one page', async () => {
  await expect(readCardFile(await put('%PDF-1.7\n1 0 obj << /Type /ObjStm /N 9 >> stream'))).resolves.toBeDefined()
})

it('a card of two pages is refused, evidence of two is not', async () => {
  const path = await put(`${starts.pdf} << /Type/Page >>`, 128)
  await expect(readCardFile(path)).rejects.toMatchObject({ reason: 'pages' })
  await expect(readEvidenceFile(path)).resolves.toBeDefined()
})
