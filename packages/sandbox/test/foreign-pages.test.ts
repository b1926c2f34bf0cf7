import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { createSandbox } from '../src/sandbox.ts'

const sandbox = createSandbox({ seed: 7, speed: 0, hostNames: ['sandbox.clinic.example'] })
const { app } = sandbox
type Change = readonly [method: 'post' | 'put' | 'delete', path: string]

const changes: readonly Change[] = [
  ['post', '/_sandbox/step'],
  ['put', '/_sandbox/clock'],
  ['delete', '/_sandbox/organizations/org_demo/failures'],
  ['post', '/_sandbox/reset'],
  ['post', '/_sandbox/pages/controls/form?control=POST+%2Fstep'],
  ['post', '/_sandbox/pages/create/example'],
]

const fields = { speed: '0', example: 'denied' }
const send = ([method, path]: Change, headers: Record<string, string>) => {
  const call = request(app)[method](path).set(headers)
  return path.includes('/pages/')
    ? call.type('form').send(fields)
    : call.send(path.endsWith('clock') ? { speed: 0 } : {})
}

describe('the controls and pages of the sandbox', () => {
  it.each(changes)('refuse a request from a foreign page: %s %s', async (...change) => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://elsewhere.example' },
      { origin: 'null' },
    ]) {
      const { body } = await send(change, headers).expect(403)
      expect(body.error.code).toBe('forbidden')
    }
  })

  it.each(changes)('accept a request from their own pages and from other clients: %s %s', async (...change) => {
    const own = { origin: 'http://127.0.0.1:4000', host: '127.0.0.1:4000' }
    for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, own])
      expect((await send(change, headers)).status).toBeLessThan(400)
  })

  it.each(['evil.example', 'evil.example:4000', 'localhost.evil.example', '127.0.0.1.evil.example'])(
    'refuse the host name %s, as after DNS rebinding',
    async (host) => {
      for (const path of ['/_sandbox/', '/_sandbox/pages/cases', '/_sandbox/truth', '/_sandbox/deliveries'])
        await request(app).get(path).set({ host }).expect(403)
      for (const change of changes) await send(change, { host, 'sec-fetch-site': 'same-origin' }).expect(403)
    },
  )

  it.each([
    'localhost:4000',
    '127.0.0.1:4000',
    '[::1]:4000',
    '192.0.2.7:4000',
    'sandbox:4000',
    'sandbox.clinic.example',
  ])('answer under the name %s', async (host) => {
    await request(app).get('/_sandbox/truth').set({ host }).expect(200)
    await request(app).get('/_sandbox/').set({ host, accept: 'text/html' }).expect(200)
  })

  it('load only their own scripts and styles, and refuse to be framed', async () => {
    const { headers, text } = await request(app).get('/_sandbox/').set('accept', 'text/html').expect(200)
    expect(headers['content-security-policy']).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self';connect-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'",
    )
    expect(text).not.toMatch(/<script>|<style|\sstyle=|\son[a-z]+=|https?:/)
  })

  it('reset: no scheduled event, planned failure or delivery is left', async () => {
    const { controls, truth } = sandbox
    await request(app).post('/_sandbox/pages/create/example').type('form').send({ example: 'approved' }).expect(303)
    controls.failNext({ operation: 'POST /prior-authorization', code: 'other' })
    controls.setChaos('light')
    const before = controls.readClock().now
    expect(controls.readClock().next).not.toBeNull()
    expect(controls.readRateWindows()).not.toEqual([])
    await request(app).post('/_sandbox/reset').expect(200, { status: 'success' })
    expect(truth()).toMatchObject({ prior_authorizations: [], benefit_verifications: [] })
    expect(controls.readClock()).toEqual({ now: before, speed: 0, next: null })
    expect(controls.deliveries()).toEqual([])
    expect(controls.listFailures()).toEqual([])
    expect(controls.readRateWindows()).toEqual([])
    expect(controls.readChaos().sending.duplicate).toBe(0)
    await sandbox.settled()
  })
})
