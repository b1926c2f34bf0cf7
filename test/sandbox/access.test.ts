import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { createTokens } from '../../src/sandbox/tokens.ts'
import { asOrganization, startSandbox } from './play.ts'
import { benefitVerification, priorAuthorization } from './requests.ts'

const organizations = [{ id: 'org_a' }, { id: 'org_b' }]

describe('access', () => {
  it('answers the status probe to whoever has a token', async () => {
    const { call } = await startSandbox()
    const { body } = await call('get', '/status').expect(200)
    expect(body).toEqual({ status: 'success', error: null, data: { message: expect.any(String) } })
  })

  it('refuses a missing, foreign or mangled token', async () => {
    const { sandbox } = await startSandbox()
    const foreign = await createTokens({ key: 'another key' }).issue('org_demo')
    const own = await sandbox.issueToken()
    for (const header of ['', `Bearer ${foreign}`, `Bearer ${own}x`, own, `Basic ${own}`]) {
      const { body } = await request(sandbox.app).get('/status').set('authorization', header).expect(401)
      expect(body).toMatchObject({ status: 'error', error: { code: 'unauthorized' } })
    }
  })

  it('keeps tokens valid in another sandbox with the same key', async () => {
    const one = await startSandbox({ tokens: { key: 'shared' } })
    const other = await startSandbox({ tokens: { key: 'shared' } })
    const header = `Bearer ${await one.sandbox.issueToken()}`
    await request(other.sandbox.app).get('/status').set('authorization', header).expect(200)
  })

  it("shows another organization's resources as nonexistent", async () => {
    const { sandbox, create } = await startSandbox({ organizations })
    const pa = await create('/prior-authorization', priorAuthorization())
    const bv = await create('/benefit-verification', benefitVerification())
    const other = await asOrganization(sandbox, 'org_b')
    const detail = { detail: expect.any(String) }
    const calls = [
      other.call('get', `/prior-authorization/${pa}`),
      other.call('post', `/prior-authorization/${pa}/cancel`, { cancellation_reason: 'x' }),
      other.call('post', `/prior-authorization/${pa}/feedback`, { category: 'x', message: 'y' }),
      other.call('patch', `/prior-authorization/${pa}/ndp-submission`, { preferred_pharmacy_ncpdp_id: '0123456' }),
      other.call('post', `/prior-authorization/${pa}/prescription-transfer/cancel`),
    ]
    for (const call of calls) expect((await call.expect(404)).body).toEqual(detail)
    const coded = { status: 'error', error: { code: 'not_found' } }
    expect((await other.call('get', `/benefit-verification/${bv}`).expect(404)).body).toMatchObject(coded)
    expect((await other.call('post', `/benefit-verification/${bv}/cancel`).expect(404)).body).toMatchObject(coded)
  })

  it('answers an unknown path with 404 and a body that is no JSON with 422', async () => {
    const { sandbox, call } = await startSandbox()
    await call('get', '/nothing-here').expect(404)
    const { body } = await request(sandbox.app)
      .post('/prior-authorization')
      .set('authorization', `Bearer ${await sandbox.issueToken()}`)
      .set('content-type', 'application/json')
      .send('{"patient":')
      .expect(422)
    expect(body.detail).toEqual([{ loc: ['body'], msg: expect.any(String), type: 'json_invalid' }])
  })
})
