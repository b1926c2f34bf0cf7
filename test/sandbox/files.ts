import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

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

/** A file as a request carries it. */
export const content = (file: Buffer) => ({ file_content: file.toString('base64') })

/** A web server on a free port of the host that answers each path with a status, headers and a body, or never. */
export async function startFileServer(
  answers: Record<string, { status?: number; headers?: Record<string, string>; body?: Buffer } | 'hang'>,
  host = '127.0.0.1',
) {
  const asked: string[] = []
  const server = createServer((req, res) => {
    const path = req.url ?? ''
    asked.push(`${req.headers.host?.split(':')[0] ?? ''}${path}`)
    const answer = answers[path] ?? { status: 404 }
    if (answer !== 'hang') res.writeHead(answer.status ?? 200, answer.headers).end(answer.body)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, host, resolve)
  })
  // The compiler cannot see that a server on a TCP port has no other kind of address.
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://${host}:${port}`,
    asked,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
