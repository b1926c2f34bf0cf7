import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { createRequestLog, maxBodyBytes } from '../src/requests/request-log.ts'
import type { Sandbox } from '../src/sandbox.ts'
import { needs } from '../../../test/support/needs.ts'
import { control, startSandbox } from './play.ts'
import { priorAuthorization } from './requests.ts'

const entry = { at: '2026-03-01T00:00:00.000Z', method: 'GET', path: '/status', durationMs: 1 }

/** Everything that the log shows of a sandbox, as one text. */
async function everythingIn(sandbox: Sandbox): Promise<string> {
  const { body } = await control(sandbox, 'get', '/requests').expect(200)
  const ids: number[] = body.data.map(({ id }: { id: number }) => id)
  const texts = await Promise.all(
    ids.flatMap((id) => [
      control(sandbox, 'get', `/requests/${id}`).then(({ text }) => text),
      request(sandbox.app)
        .get(`/_sandbox/pages/requests/${id}`)
        .then(({ text }) => text),
    ]),
  )
  return texts.join('\n')
}

describe('the request log', () => {
  it('has each request with status, code, body and answer, newest first', async () => {
    const { sandbox, call, create } = await startSandbox()
    const body = priorAuthorization()
    const id = await create('/prior-authorization', body)
    await call('post', '/benefit-verification', {}).expect(422)
    await request(sandbox.app).get('/status').expect(401)
    const { body: page } = await control(sandbox, 'get', '/requests').expect(200)
    expect(page).toMatchObject({
      next_cursor: null,
      data: [
        { id: 3, method: 'GET', path: '/status', status: 401, code: 'unauthorized', duration_ms: expect.any(Number) },
        { id: 2, method: 'POST', path: '/benefit-verification', status: 422, code: 'validation_error' },
        { id: 1, method: 'POST', path: '/prior-authorization', status: 200, organization: 'org_demo' },
      ],
    })
    expect(page.data[2]).not.toHaveProperty('body')
    const { body: one } = await control(sandbox, 'get', '/requests/1').expect(200)
    expect(JSON.parse(one.data.body.text)).toEqual(JSON.parse(JSON.stringify(body)))
    expect(JSON.parse(one.data.answer.text).data.id).toBe(id)
    await control(sandbox, 'get', '/requests/7').expect(404)
  })

  it('omits the reads that pages poll', async () => {
    const { sandbox } = await startSandbox()
    await control(sandbox, 'get', '/clock').expect(200)
    await request(sandbox.app).get('/_sandbox/pages/cases').expect(200)
    await request(sandbox.app).get('/openapi.json').expect(200)
    await control(sandbox, 'put', '/clock', { speed: 2 }).expect(200)
    expect(sandbox.controls.requestPage().requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PUT /_sandbox/clock',
    ])
  })

  it('is filtered by status, method, code, path and organization, and paged in either order', async () => {
    const { sandbox, call } = await startSandbox()
    for (let made = 0; made < 3; made += 1) await call('get', '/status').expect(200)
    await call('get', '/benefit-verification/bv_none').expect(404)
    const idsOf = async (query: string) => {
      const { body } = await control(sandbox, 'get', `/requests?${query}`).expect(200)
      return [...body.data.map(({ id }: { id: number }) => id), body.next_cursor]
    }
    expect(await idsOf('status=4xx')).toEqual([4, null])
    expect(await idsOf('path=bv_none')).toEqual([4, null])
    expect(await idsOf('method=POST')).toEqual([null])
    expect(await idsOf('code=not_found')).toEqual([4, null])
    expect(await idsOf('code=unauthorized')).toEqual([null])
    const shown = async (query: string) => {
      const { text } = await request(sandbox.app).get(`/_sandbox/pages/requests?${query}`).expect(200)
      return [...text.matchAll(/id="request-(\d+)"/g)].map(([, id]) => Number(id))
    }
    // As its form sends them: those left open are empty.
    const open = 'status=&method=&path=&code=&organization='
    expect(await shown(open)).toEqual([4, 3, 2, 1])
    for (const one of ['status=4xx', 'path=bv_none', 'code=not_found'])
      expect({ one, shown: await shown(open.replace(`${one.split('=', 1).join('')}=`, one)) }).toEqual({
        one,
        shown: [4],
      })
    expect(await shown(open.replace('organization=', 'organization=org_other'))).toEqual([])
    expect(await idsOf('organization=org_demo&limit=2')).toEqual([4, 3, '3'])
    expect(await idsOf('limit=2&cursor=3')).toEqual([2, 1, null])
    expect(await idsOf('order=oldest&cursor=2')).toEqual([3, 4, null])
    await control(sandbox, 'get', '/requests?status=teapot').expect(422)
  })

  it.skipIf(needs('curl') === undefined)('has a curl that a shell sends as the request was, byte by byte', async () => {
    const { sandbox, call } = await startSandbox()
    const { url } = await sandbox.listen()
    await call('post', '/benefit-verification', { note: 'it\'s $HOME `x` "y" \\n é' }).expect(422)
    const { body } = await request(url).get('/_sandbox/requests/1').expect(200)
    const env = { PATH: process.env.PATH, TOKEN: await sandbox.issueToken() }
    await promisify(execFile)('sh', ['-c', body.data.curl], { env })
    const [again, first] = sandbox.controls.requestPage().requests
    expect(again).toMatchObject({ id: 2, method: 'POST', status: 422, body: first?.body, answer: first?.answer })
  })

  it('holds no token and no webhook secret, not even of a refused request', async () => {
    const { sandbox, call } = await startSandbox()
    const secret = 'the-secret-of-this-test-with-32-characters'
    const webhook = { name: 'x', url: 'http://127.0.0.1:1/', secret }
    await control(sandbox, 'put', '/organizations/org_demo/webhooks', webhook).expect(200)
    await control(sandbox, 'put', '/organizations/org_demo', { webhooks: [webhook] }).expect(200)
    await control(sandbox, 'put', '/organizations/org_demo/webhooks', { ...webhook, other: 1 }).expect(422)
    await request(sandbox.app)
      .put('/_sandbox/organizations/org_demo/webhooks')
      .set('content-type', 'application/json')
      .send(`{"secret":"${secret}",`)
      .expect(422)
    const { body } = await control(sandbox, 'post', '/tokens').expect(200)
    const { token } = body.data
    await request(sandbox.app).get('/status').set('authorization', `Bearer ${token}`).expect(200)
    // Sent to a path of the service by mistake.
    await call('post', '/organizations/org_demo/webhooks', webhook).expect(404)
    await control(sandbox, 'post', '/tokens/revoke', { token }).expect(200)
    const shown = await everythingIn(sandbox)
    expect(sandbox.controls.requestPage().requests).toHaveLength(8)
    expect(shown).toContain('$SECRET')
    expect(shown).toContain('$TOKEN')
    expect(shown).not.toContain(secret)
    expect(shown).not.toContain(token)
    expect(shown).not.toContain(token.split('.')[2])
  })

  it('keeps only the newest requests, by number and by size of bodies', () => {
    const log = createRequestLog({ keep: 3, keepBytes: 1_000 })
    const idsOf = () => log.page().requests.map(({ id }) => id)
    for (let made = 0; made < 5; made += 1) log.add(entry)
    expect(idsOf()).toEqual([5, 4, 3])
    log.add({ ...entry, body: { text: 'x'.repeat(980), bytes: 980, isWhole: true } })
    expect(idsOf()).toEqual([6, 5])
    log.clear()
    log.add(entry)
    expect(idsOf()).toEqual([7])
    expect(() => log.get(6)).toThrow('There is no request 6')
  })

  it('truncates a long body and then offers no curl command', async () => {
    const { sandbox, call } = await startSandbox()
    await call('post', '/benefit-verification', { note: 'x'.repeat(maxBodyBytes) }).expect(422)
    const { body, answer } = sandbox.controls.request(1)
    expect(body).toMatchObject({ bytes: maxBodyBytes + '{"note":""}'.length, isWhole: false })
    expect(body?.text).toHaveLength(maxBodyBytes)
    expect(answer?.isWhole).toBe(true)
    expect((await control(sandbox, 'get', '/requests/1')).body.data).not.toHaveProperty('curl')
  })

  it('includes a request that chaos left unanswered', async () => {
    const { sandbox, call } = await startSandbox({ chaos: { answering: { disconnect: 1 } } })
    await expect(call('get', '/status')).rejects.toThrow()
    const [lost] = sandbox.controls.requestPage({ status: 'none' }).requests
    expect(lost).toMatchObject({ method: 'GET', path: '/status' })
    expect(lost).not.toHaveProperty('status')
  })

  it('is emptied by a reset, and its ids continue', async () => {
    const { sandbox, call } = await startSandbox()
    await call('get', '/status').expect(200)
    sandbox.controls.reset()
    await call('get', '/status').expect(200)
    expect(sandbox.controls.requestPage().requests.map(({ id }) => id)).toEqual([2])
  })
})
