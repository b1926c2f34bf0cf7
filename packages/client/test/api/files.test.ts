import { readFile } from 'node:fs/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { createApi } from '../../src/api/client.ts'
import {
  createFileCalls,
  FileAddressRefused,
  type FileCalls,
  FileExpired,
  FileTooLarge,
  FileUnavailable,
} from '../../src/api/files.ts'
import { PawlError } from '../../../base/src/errors.ts'
import { minimalPdf } from '../../../sandbox/src/files/minimal-pdf.ts'
import { text, token, startScriptedService } from './scripted-service.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((service) => service[Symbol.asyncDispose]()))
})

async function start() {
  const service = await startScriptedService()
  open.push(service)
  return service
}

const path = '/files/canary-name.pdf?signature=canary-signature'
const pdf = minimalPdf(['A page'])

/** The error of a call. */
async function failureOf(call: Promise<unknown>): Promise<PawlError> {
  const error: unknown = await call.catch((thrown: unknown) => thrown)
  if (!(error instanceof PawlError)) throw new Error('it did not fail as it should', { cause: error })
  expect(JSON.stringify([Object.entries(error), error.message, error.cause])).not.toMatch(/canary|127\.0\.0\.1/)
  return error
}

describe('a file of the service', () => {
  it('comes with its bytes and their type, even if its host states another type', async () => {
    const { api, baseUrl, play } = await start()
    play((response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(pdf))
    const { content, contentType } = await api.downloadFile(baseUrl + path)
    expect([Buffer.from(content), contentType]).toEqual([pdf, 'application/pdf'])
  })

  it.each([
    ['text/plain', 'text/plain; charset=utf-8'],
    ['not a type', 'application/octet-stream'],
    [undefined, 'application/octet-stream'],
  ])('whose bytes tell nothing and that is called %s is %s', async (called, is) => {
    const { api, baseUrl, play } = await start()
    play(text(200, 'words', called === undefined ? {} : { 'content-type': called }))
    expect(await api.downloadFile(baseUrl + path)).toMatchObject({ contentType: is })
  })

  it.each([
    [
      'letter-latin1.txt',
      'text/plain; charset=ISO-8859-1',
      'Chère clinique,\nla décision sera communiquée après révision.\n',
    ],
    ['letter-latin1.txt', 'text/plain', 'Chère clinique,\nla décision sera communiquée après révision.\n'],
    [
      'letter-latin1.txt',
      'text/plain; charset=utf-8',
      'Chère clinique,\nla décision sera communiquée après révision.\n',
    ],
    ['letter-utf16le.txt', 'text/plain; charset=utf-16le', 'The plan has received the request.\r\n'],
    ['letter-utf16le.txt', 'application/octet-stream', 'The plan has received the request.\r\n'],
  ])('that is the text %s, called %s, comes in UTF-8 and says so', async (name, called, words) => {
    const { api, baseUrl, play } = await start()
    const bytes = await readFile(new URL(`../../../../test/fixtures/letters/${name}`, import.meta.url))
    play((response) => response.writeHead(200, { 'content-type': called }).end(bytes))
    const { content, contentType } = await api.downloadFile(baseUrl + path)
    expect([Buffer.from(content).toString(), contentType]).toEqual([words, 'text/plain; charset=utf-8'])
  })

  it.each(['BMI of 31, says the letter.', 'MZ 12 was asked for.', 'solid evidence is missing.'])(
    'that is a text stays one, though it begins as another format does: %s',
    async (words) => {
      const { api, baseUrl, play } = await start()
      play(text(200, words, { 'content-type': 'text/plain' }))
      const { content, contentType } = await api.downloadFile(baseUrl + path)
      expect([Buffer.from(content).toString(), contentType]).toEqual([words, 'text/plain; charset=utf-8'])
    },
  )

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('whose host compresses it by %s comes as it is', async (coding, compress) => {
    const { api, baseUrl, play } = await start()
    play((response) => response.writeHead(200, { 'content-encoding': coding }).end(compress(pdf)))
    const { content, contentType } = await api.downloadFile(baseUrl + path)
    expect([Buffer.from(content), contentType]).toEqual([pdf, 'application/pdf'])
  })

  it('in a coding that pawl does not know is an error that says so', async () => {
    const { api, baseUrl, play } = await start()
    play((response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end(pdf))
    const error = await failureOf(api.downloadFile(baseUrl + path))
    expect(error).toMatchObject({ reason: 'coding', message: expect.stringContaining('gzip, deflate or br') })
  })

  it('that is small until it is decoded is refused while it streams', async () => {
    const { api, baseUrl, play } = await start()
    const bomb = gzipSync(Buffer.alloc(40 * 1024 * 1024))
    expect(bomb.length).toBeLessThan(50_000)
    let sent = 0
    // The host goes on for as long as somebody reads.
    play((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      const timer = setInterval(() => void response.write(bomb, () => (sent += 1)), 1)
      response.once('close', () => clearInterval(timer))
    })
    expect(await failureOf(api.downloadFile(baseUrl + path))).toBeInstanceOf(FileTooLarge)
    expect(sent).toBeLessThan(1_000)
  })

  it('is asked for without the API token, and costs nothing of the rate limits', async () => {
    const { baseUrl, play, seen } = await start()
    let admitted = 0
    const budgetStore = {
      update: async () => {
        admitted += 1
        throw new Error('no budget is asked for')
      },
    }
    // The store refuses every call.
    const api = createApi({ baseUrl, token, budgetStore: budgetStore as never })
    play(text(200, 'words'))
    await api.downloadFile(baseUrl + path)
    expect([seen.length, admitted]).toEqual([1, 0])
    expect(JSON.stringify(seen)).not.toContain(token)
    expect(seen[0]?.headers).not.toHaveProperty('authorization')
  })

  it.each([403, 404, 410])('whose address answers %s has expired, and is worth another try', async (status) => {
    const { api, baseUrl, play } = await start()
    play(text(status, '<Error>canary</Error>'))
    const error = await failureOf(api.downloadFile(baseUrl + path))
    expect(error).toBeInstanceOf(FileExpired)
    expect(error).toMatchObject({ code: 'file_expired', retry: 'backoff', isOutage: false, httpStatus: status })
  })

  it('that cannot be had now is worth another try, and says nothing of the API', async () => {
    const { api, baseUrl, play } = await start()
    const cut = (response: Parameters<Parameters<typeof play>[0]>[0]) => {
      response.writeHead(200, { 'content-length': '100' }).write('half')
      response.destroy()
    }
    for (const answer of [text(500, 'x'), text(429, 'x'), text(206, 'x'), cut]) {
      play(answer)
      const error = await failureOf(api.downloadFile(baseUrl + path))
      expect(error).toBeInstanceOf(FileUnavailable)
      expect(error).toMatchObject({ code: 'file_unavailable', retry: 'backoff', isOutage: false, mayBeOutage: false })
    }
  })

  it('that takes too long is given up', async () => {
    const { baseUrl, play } = await start()
    play(() => {})
    const calls = createFileCalls({ baseUrl, timeoutMs: 50 })
    expect(await failureOf(calls.downloadFile(baseUrl + path))).toMatchObject({ reason: 'timeout' })
  })

  it('that the caller gives up ends with the reason of the signal', async () => {
    const { api, baseUrl, play, seen } = await start()
    await expect(api.downloadFile(baseUrl + path, { signal: AbortSignal.abort('enough') })).rejects.toBe('enough')
    expect(seen).toEqual([])
    const controller = new AbortController()
    play(() => controller.abort('enough'))
    await expect(api.downloadFile(baseUrl + path, { signal: controller.signal })).rejects.toBe('enough')
  })

  it('may be as large as the caller says, and 20 MiB by default', async () => {
    const { api, baseUrl, play } = await start()
    play(text(200, 'x'.repeat(1_000)))
    expect((await api.downloadFile(baseUrl + path, { maxBytes: 1_000 })).content).toHaveLength(1_000)
    const error = await failureOf(api.downloadFile(baseUrl + path, { maxBytes: 999 }))
    expect(error).toBeInstanceOf(FileTooLarge)
    expect(error).toMatchObject({ code: 'file_too_large', retry: 'never' })
    const most = Buffer.alloc(20 * 1024 * 1024)
    play(
      (response) => response.writeHead(200).end(most),
      (response) => response.writeHead(200).end(Buffer.concat([most, Buffer.alloc(1)])),
    )
    expect((await api.downloadFile(baseUrl + path)).content).toHaveLength(most.length)
    expect(await failureOf(api.downloadFile(baseUrl + path))).toBeInstanceOf(FileTooLarge)
  })

  it('is followed through three redirects and no more', async () => {
    const { api, baseUrl, play, seen } = await start()
    const moved = text(302, '', { location: '/canary-elsewhere' })
    play(moved, moved, moved, text(200, 'words'))
    await api.downloadFile(baseUrl + path)
    expect(seen).toHaveLength(4)
    play(moved)
    expect(await failureOf(api.downloadFile(baseUrl + path))).toMatchObject({ reason: 'redirects' })
  })
})

describe('the address of a file', () => {
  const resolve = async (host: string) => [{ address: host === 'inner.example' ? '10.0.0.1' : '127.0.0.1', family: 4 }]
  const refuse = async (calls: FileCalls, url: string) => {
    const error = await failureOf(calls.downloadFile(url))
    expect([url, error]).toEqual([url, expect.any(FileAddressRefused)])
    expect(error).toMatchObject({ code: 'file_address_refused', retry: 'never' })
  }

  it('may not lead into a private network, nor be plain http, nor something else', async () => {
    const { baseUrl, seen } = await start()
    const calls = createFileCalls({ baseUrl: 'https://api.example', timeoutMs: 30_000, resolve })
    const { port } = new URL(baseUrl)
    for (const url of [
      'https://inner.example/a',
      'https://10.1.2.3/a',
      'https://169.254.169.254/latest',
      'https://[fe80::1]/a',
      'https://[::ffff:127.0.0.1]/a',
      'http://8.8.8.8/a',
      `http://127.0.0.1:${port}/a`,
      `http://localhost:${port}/a`,
      'ftp://files.example/a',
      'file:///a',
      '/files/a',
      '',
    ])
      await refuse(calls, url)
    expect(seen).toEqual([])
  })

  it('may lead to the very origin of the API, wherever that is', async () => {
    const { baseUrl, play } = await start()
    play(text(200, 'words'))
    const origin = `http://api.inner:${new URL(baseUrl).port}`
    const calls = createFileCalls({ baseUrl: `${origin}/v1`, timeoutMs: 30_000, resolve })
    expect(await calls.downloadFile(`${origin}/files/a`)).toMatchObject({ contentType: 'application/octet-stream' })
    await refuse(calls, `${origin.replace('api.inner', 'other.inner')}/files/a`)
  })

  it('is checked again at every redirect', async () => {
    const { api, baseUrl, play, seen } = await start()
    play(text(302, '', { location: 'https://10.0.0.1/secret' }))
    await refuse(api, `${baseUrl}/a`)
    play(text(302, '', { location: 'http://8.8.8.8/plain' }))
    await refuse(api, `${baseUrl}/a`)
    expect(seen).toHaveLength(2)
  })
})
