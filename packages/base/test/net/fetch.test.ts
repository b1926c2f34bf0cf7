import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { leanFetch } from '../../src/net/fetch.ts'
import { BodyRefused } from '../../src/net/read-bounded.ts'
import { checkRun, exchange } from '../../../connector/src/exchange.ts'
import { startFarSide } from '../../../testing/src/far-side.ts'

const words = JSON.stringify({ name: 'Chère Testa Sample' })

async function startAnswering(body: Uint8Array | string, headers: Record<string, string> = {}) {
  const { url, close } = await startFarSide(() => ({ status: 200, headers, body }))
  onTestFinished(close)
  return url
}

async function textAt(url: string): Promise<string> {
  const answer = await leanFetch(url, {
    method: 'GET',
    headers: {},
    redirect: 'manual',
    signal: AbortSignal.timeout(20_000),
  })
  return answer.text()
}

describe('the body of an answer', () => {
  it.each([
    ['gzip', gzipSync(words)],
    ['x-gzip', gzipSync(words)],
    ['Deflate', deflateSync(words)],
    ['br', brotliCompressSync(words)],
    ['identity', words],
    ['', words],
  ])('is decoded where the server compresses it unasked: %j', async (coding, body) => {
    expect(await textAt(await startAnswering(body, { 'content-encoding': coding }))).toBe(words)
  })

  it.each(['zstd', 'gzip, gzip', 'made-up'])('is refused with a clear error in the coding %s', async (coding) => {
    const url = await startAnswering(gzipSync(words), { 'content-encoding': coding })
    await expect(textAt(url)).rejects.toBeInstanceOf(BodyRefused)
    const http = { fetch: leanFetch, clock: { now: () => 0 }, timeoutMs: 20_000 }
    const answer = await exchange(http, checkRun(AbortSignal.timeout(20_000)), url, { method: 'GET', headers: {} })
    expect(answer).toMatchObject({
      ok: false,
      reason: 'the answer has a content coding other than gzip, deflate or br',
      isOutage: false,
    })
  })

  it('that is cut within its compression is an error, never a part', async () => {
    const url = await startAnswering(gzipSync(words).subarray(0, -9), { 'content-encoding': 'gzip' })
    await expect(textAt(url)).rejects.toThrow()
  })

  it('that grows out of all bounds when decoded is refused while it streams', async () => {
    const url = await startAnswering(gzipSync(Buffer.alloc(200_000_000)), { 'content-encoding': 'gzip' })
    await expect(textAt(url)).rejects.toThrow('has more than 67108864 bytes')
  })

  it.each([
    ['text/plain; charset=ISO-8859-1', Buffer.from(words, 'latin1')],
    ['text/plain; charset="utf-16le"', Buffer.from(words, 'utf16le')],
    ['text/plain', Buffer.from(`\uFEFF${words}`, 'utf16le')],
    ['text/plain', Buffer.from(`\uFEFF${words}`)],
    ['application/fhir+json;charset=iso-8859-1', Buffer.from(words, 'latin1')],
    ['application/fhir+json;charset=iso-8859-1', Buffer.from(words)],
    ['application/json; charset=made-up', Buffer.from(words)],
    ['no type; charset=', Buffer.from(words)],
  ])('is read in the charset of %s', async (contentType, body) => {
    expect(await textAt(await startAnswering(body, { 'content-type': contentType }))).toBe(words)
  })
})
