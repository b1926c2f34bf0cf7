import { describe, expect, it, onTestFinished } from 'vitest'
import { atOnce, exchangeRaw, requestText } from '../fuzz/raw-http.ts'
import { preparePawl } from '../support/pawl-processes.ts'
import { freePort } from '../support/spawn-pawl.ts'

/** What only the peer knows: it must come back neither in an answer nor in a log. */
const marker = 'quill-7f3a'

/** Targets whose `{id}` is no percent-encoded UTF-8. */
const unreadable = (...paths: string[]) =>
  paths.flatMap((path) => ['%ff', '%', '%E0%A4%A'].map((end) => path.replace('{id}', `${marker}${end}`)))

/** Sends one request and returns status, type and body of the answer. */
async function send(url: string, method: string, path: string, headers: Record<string, string> = {}, body = '') {
  const answer = await exchangeRaw(url, atOnce(requestText({ method, path, headers }, body)))
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  const type = /^content-type: ([^;\r]*)/im.exec(head)?.[1]
  return { status: Number(head.split(' ')[1]), type, body: rest.join('\r\n\r\n') }
}

describe('a request that no route can parse', () => {
  it('gets 400 with a code at the public and the admin listener, and a few log lines without its text', async () => {
    const keys = JSON.stringify({ corner: { ncpdp_ids: ['1111111'], key: 'a-key-of-the-corner-pharmacy-for-tests' } })
    const adminPort = await freePort()
    const pawls = await preparePawl({ PHARMACY_FEED_KEYS: keys, ADMIN_PORT: String(adminPort) })
    onTestFinished(() => pawls.close())
    const pawl = await pawls.start()
    let stderr = ''
    pawl.child.stderr?.on('data', (chunk: string) => (stderr += chunk))
    const admin = `http://127.0.0.1:${adminPort}`
    const feed = unreadable('/pharmacy/transfers/{id}/acknowledgement')
    const read = unreadable('/assets/{id}', '/resources/{id}', '/api/resources/{id}/story')
    const asked = [
      ...['PUT', 'GET', 'DELETE'].flatMap((method) => feed.map((target) => [pawls.url, method, target] as const)),
      ...read.map((target) => [admin, 'GET', target] as const),
      ...unreadable('/erase/jobs/{id}').map((target) => [admin, 'POST', target] as const),
    ]
    for (const [url, method, target] of asked) {
      const { status, type, body } = await send(url, method, target)
      expect([method, target, status, type]).toEqual([method, target, 400, 'application/json'])
      expect(JSON.parse(body)).toEqual({ error: { code: 'bad_request', message: expect.any(String) } })
    }
    // A flood costs three lines a second for each kind, not one a request.
    for (let flood = 0; flood < 300; flood += 1) await send(pawls.url, 'PUT', feed[0] ?? '')
    expect(await pawl.end('SIGTERM')).toBe(0)
    const logged = pawl
      .output()
      .split('\n')
      .filter((line) => line.includes('"request not readable'))
    expect(logged.length).toBeGreaterThan(0)
    expect(logged.length).toBeLessThan(200)
    expect(stderr).toBe('')
    expect(pawl.output()).not.toContain(marker)
  })
})
