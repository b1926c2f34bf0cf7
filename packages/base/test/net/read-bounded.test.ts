import type { RequestListener } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, it } from 'vitest'
import { post } from '../../../console/src/alerts/post.ts'
import { systemClock } from '../../src/clock.ts'
import { fetchAt, leanFetch } from '../../src/net/fetch.ts'
import { BodyRefused, fetchBounded, maxShortAnswerBytes, readBounded } from '../../src/net/read-bounded.ts'
import { type RunningServer, startServer } from '../../src/net/server.ts'
import { checkRun, exchange } from '../../../connector/src/exchange.ts'
import { answerWithoutEnd } from '../../../../test/support/endless.ts'
import { until } from '../../../../test/support/until.ts'

let server: RunningServer | undefined
afterEach(() => server?.close(0))

async function serve(listener: RequestListener): Promise<string> {
  server = await startServer(listener, { host: '127.0.0.1', port: 0 })
  return server.url
}

const { signal } = new AbortController()
const get = { method: 'GET', headers: {}, redirect: 'manual', signal } as const
const maxBytes = 100_000

const atThisMachine = fetchAt((_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]))
const readers: [name: string, read: (url: string) => Promise<string>][] = [
  ['leanFetch', async (url) => (await leanFetch(url, { ...get, maxBytes })).text()],
  ['fetchAt', async (url) => (await atThisMachine(url, { ...get, maxBytes })).text()],
  ['fetchBounded', async (url) => (await fetchBounded(url, {}, maxBytes)).text()],
]

it.each(readers)('%s gives up an answer without end, and ends its connection', async (_, read) => {
  let ended = 0
  const url = await serve((_request, response) => {
    response.once('close', () => (ended += 1))
    answerWithoutEnd(response)
  })
  await expect(read(url)).rejects.toBeInstanceOf(BodyRefused)
  await until('the connection is ended', () => ended === 1)
})

it.each(readers)('%s reads an answer of as many bytes as it may have, and none of one more', async (_, read) => {
  let size = maxBytes
  const url = await serve((_request, response) => void response.end('x'.repeat(size)))
  expect(await read(url)).toHaveLength(maxBytes)
  size += 1
  await expect(read(url)).rejects.toBeInstanceOf(BodyRefused)
})

it.each(readers)('%s reads an answer without a body', async (_, read) => {
  const url = await serve((_request, response) => void response.writeHead(204).end())
  expect(await read(url)).toBe('')
})

it('fetchBounded counts the bytes of a compressed answer once they are decoded', async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000))
  expect(bomb.length).toBeLessThan(maxBytes)
  const url = await serve((_request, response) => void response.setHeader('content-encoding', 'gzip').end(bomb))
  await expect(fetchBounded(url, {}, maxBytes)).rejects.toBeInstanceOf(BodyRefused)
})

it('a system whose answer never ends is one without an answer, and says so', async () => {
  const url = await serve((_request, response) => answerWithoutEnd(response))
  const answer = await exchange(
    { fetch: leanFetch, clock: systemClock, timeoutMs: 120_000 },
    { ...checkRun(signal), remainingMs: () => 120_000 },
    url,
    { method: 'GET', headers: {} },
  )
  expect(answer).toMatchObject({ ok: false, retry: 'backoff', isOutage: false, code: 'body_size' })
  expect(answer).toMatchObject({ reason: 'the answer has more than 67108864 bytes' })
})

it('a target of alerts whose answer never ends is one that was not reached', async () => {
  const url = await serve((_request, response) => answerWithoutEnd(response))
  expect(await post(leanFetch, url, '{}')).toEqual({ ok: false, code: 'BODY_TOO_LARGE' })
  expect(maxShortAnswerBytes).toBe(1_048_576)
})

/** A body of two chunks, of which the first is this long; the second comes once it is told to end, by an error or not. */
function bodyOf(firstBytes: number) {
  let finish: (error?: Error) => void = () => {}
  const finished = new Promise<void>((resolve, reject) => {
    finish = (error) => (error === undefined ? resolve() : reject(error))
  })
  finished.catch(() => {})
  const state = { asked: 0, finish }
  async function* chunks() {
    state.asked += 1
    yield Buffer.alloc(firstBytes)
    state.asked += 1
    await finished
    yield Buffer.alloc(1)
  }
  return { state, read: readBounded(chunks(), 4 * maxShortAnswerBytes) }
}

it('long answers are read two at a time, and short ones beside them', async () => {
  const long = [1, 2, 3, 4].map(() => bodyOf(2 * maxShortAnswerBytes))
  const short = bodyOf(maxShortAnswerBytes - 1)
  const asked = () => [...long, short].map(({ state }) => state.asked)
  for (let turns = 0; turns < 10; turns += 1) await turn()
  expect(asked()).toEqual([2, 2, 1, 1, 2])
  // One that fails makes room as one that ends does.
  long[0]?.state.finish(new Error('cut'))
  await expect(long[0]?.read).rejects.toThrow('cut')
  await until('the third is read on', () => long[2]?.state.asked === 2)
  expect(asked()).toEqual([2, 2, 2, 1, 2])
  for (const { state } of [...long, short]) state.finish()
  const lengths = await Promise.all([...long.slice(1), short].map(async ({ read }) => (await read).length))
  expect(lengths).toEqual([...[1, 2, 3].map(() => 2 * maxShortAnswerBytes + 1), maxShortAnswerBytes])
})
