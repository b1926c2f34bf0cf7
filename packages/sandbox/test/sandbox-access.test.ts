import { decodeJwt, decodeProtectedHeader } from 'jose'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { documentedErrors } from '../../client/src/schemas/documented-errors.ts'
import { commonErrors, nameOf, type Operation, operations } from '../src/platform/operations.ts'
import { createStore } from '../src/platform/store.ts'
import { createTokens } from '../src/access/tokens.ts'
import { asOrganization, control, startSandbox } from './play.ts'
import { benefitVerification, priorAuthorization } from './requests.ts'

const organizations = [{ id: 'org_a' }, { id: 'org_b' }]

describe('access', () => {
  it('refuses a missing, foreign or mangled token', async () => {
    const { sandbox } = await startSandbox()
    const foreign = await createTokens({ key: 'another key', store: createStore() }).issue('org_demo')
    const own = await sandbox.issueToken()
    for (const header of ['', `Bearer ${foreign}`, `Bearer ${own}x`, own, `Basic ${own}`]) {
      const { body } = await request(sandbox.app).get('/status').set('authorization', header).expect(401)
      expect(body).toMatchObject({ status: 'error', error: { code: 'unauthorized' } })
    }
  })

  it('requires a token at every endpoint', async () => {
    const { sandbox } = await startSandbox()
    const call: Call = (method, path, body) => request(sandbox.app)[method](path).send(body)
    for (const operation of operations) {
      const { status, body } = await send(call, operation, operation.route.replace('{id}', 'none'))
      const refused = { status: 401, code: 'unauthorized' }
      expect([nameOf(operation), { status, code: body.error?.code }]).toEqual([nameOf(operation), refused])
    }
  })

  it('issues JWTs that name the organization, without expiry, scope or role', async () => {
    const { sandbox } = await startSandbox({ organizations })
    const token = await sandbox.issueToken('org_b')
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT' })
    expect(decodeJwt(token)).toEqual({ sub: 'org_b', jti: expect.any(String), iat: expect.any(Number) })
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
    const { patient, provider } = priorAuthorization()
    const drugs = [{ drug_name: 'Examplumab' }]
    const cq = await create('/clinical-qualification', { patient, provider, drugs })
    const check = await create('/pa-status', { patient, insurance_content: { member_number: 'M-1' } })
    sandbox.controls.cancel(pa)
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
    const codedCalls = [
      other.call('get', `/benefit-verification/${bv}`),
      other.call('post', `/benefit-verification/${bv}/cancel`),
      other.call('get', `/clinical-qualification/${cq}`),
      other.call('get', `/pa-status/${check}`),
      other.call(
        'post',
        '/prior-authorization',
        priorAuthorization({ resubmission_info: { previous_prior_auth_request_id: pa, note: 'x' } }),
      ),
      other.call('post', '/benefit-verification', benefitVerification({ replaces: bv })),
    ]
    for (const call of codedCalls) expect((await call.expect(404)).body).toMatchObject(coded)
  })

  it('answers 404 for an unknown control, without a token', async () => {
    const { sandbox } = await startSandbox()
    const { body } = await control(sandbox, 'get', '/step').expect(404)
    expect(body.error).toMatchObject({
      code: 'unknown_control',
      description: 'There is no control GET /_sandbox/step; docs/sandbox.md lists them all.',
    })
  })

  it('answers 404 for an unknown path and 422 for a body that is not JSON', async () => {
    const { sandbox, call } = await startSandbox()
    expect((await call('get', '/nothing-here').expect(404)).body).toEqual({ detail: expect.any(String) })
    const { body } = await request(sandbox.app)
      .post('/prior-authorization')
      .set('authorization', `Bearer ${await sandbox.issueToken()}`)
      .set('content-type', 'application/json')
      .send('{"patient":')
      .expect(422)
    expect(body.detail).toEqual([{ loc: ['body'], msg: expect.any(String), type: 'json_invalid' }])
    const deep = (depth: number) =>
      call('post', '/prior-authorization')
        .set('content-type', 'application/json')
        .send(`${'['.repeat(depth)}${']'.repeat(depth)}`)
    const [held, refused] = [await deep(100), await deep(101)]
    expect([held.status, refused.status]).toEqual([422, 422])
    expect(held.body).toMatchObject({ detail: [{ loc: ['body'], type: 'object_type' }] })
    expect(refused.body).toMatchObject({ detail: [{ loc: ['body'], type: 'json_invalid' }] })
  })

  it('answers 500 for a defect of its own, for PAs without a code', async () => {
    let isBroken = false
    const now = () => {
      if (isBroken) throw new Error('canary')
      return 1_767_225_600_000
    }
    const { call } = await startSandbox({ clock: { now } })
    isBroken = true
    const { body } = await call('get', '/benefit-verification/bv_x').expect(500)
    expect(body).toMatchObject({ status: 'error', error: { code: 'unexpected_error' } })
    const pa = await call('get', '/prior-authorization/pa_req_x').expect(500)
    expect([pa.text, pa.type]).toEqual(['Internal Server Error', 'text/plain'])
  })

  it('refuses an organization without API access, and a token that was revoked', async () => {
    const { sandbox, call } = await startSandbox({
      organizations: [{ id: 'org_a' }, { id: 'org_b', apiAccess: false }],
    })
    const other = await asOrganization(sandbox, 'org_b')
    const { body } = await other.call('get', '/status').expect(403)
    expect(body.error.code).toBe('api_access_not_enabled')
    await control(sandbox, 'put', '/organizations/org_b', { api_access: true }).expect(200)
    await other.call('get', '/status').expect(200)

    const token = await sandbox.issueToken()
    const withToken = () => request(sandbox.app).get('/status').set('authorization', `Bearer ${token}`)
    await withToken().expect(200)
    const revoked = await control(sandbox, 'post', '/tokens/revoke', { token }).expect(200)
    expect(revoked.body.data).toEqual({ revoked: true })
    await withToken().expect(401)
    expect(await sandbox.controls.revokeToken(token)).toBe(false)
    await call('get', '/status').expect(200)
  })
})

describe('a planned failure', () => {
  it('hits one call of one organization, for each documented code of each operation', async () => {
    const { sandbox, call } = await startSandbox({ organizations })
    const other = await asOrganization(sandbox, 'org_b')
    for (const operation of operations) {
      const path = operation.route.replace('{id}', 'none')
      const usual = (await send(call, operation, path)).status
      for (const code of [...commonErrors, ...operation.errors]) {
        sandbox.controls.failNext({ operation: nameOf(operation), code })
        expect((await send(other.call, operation, path)).status).toBe(usual)
        const { status, body } = await send(call, operation, path)
        expect({ status, code: body.error.code }).toEqual({ status: documentedErrors[code][0], code })
        expect((await send(call, operation, path)).status).toBe(usual)
      }
    }
  })

  it("names the organization's newest PA as the conflicting one, else a nonexistent one", async () => {
    const { sandbox, call, create } = await startSandbox({ organizations })
    const other = await asOrganization(sandbox, 'org_b')
    const planned = async () => {
      const code = 'previous_pa_request_in_progress'
      sandbox.controls.failNext({ operation: 'POST /prior-authorization', code })
      return (await call('post', '/prior-authorization', {}).expect(409)).body.error.existing_prior_auth_request_id
    }
    await other.create('/prior-authorization', priorAuthorization())
    expect(await planned()).toBe('pa_req_00000000000000000000')
    const older = await create('/prior-authorization', priorAuthorization())
    expect(await planned()).toBe(older)
    const id = await create('/prior-authorization', priorAuthorization())
    expect(await planned()).toBe(id)
    const asking = { ...priorAuthorization().patient, internal_id: 'sandbox:prescription_message_already_linked' }
    const { body } = await call('post', '/prior-authorization', priorAuthorization({ patient: asking })).expect(409)
    expect(body.error.existing_prior_auth_request_id).toBe(id)
  })

  it.each(operations.filter(({ route }) => route.startsWith('/prior-authorization')).map(nameOf))(
    'cannot be unexpected_error for %s',
    async (operation) => {
      const { sandbox } = await startSandbox()
      expect(() => sandbox.controls.failNext({ operation, code: 'unexpected_error' })).toThrow('There is no code')
    },
  )

  it('names the legal values if the operation or code is unknown', async () => {
    const { sandbox } = await startSandbox()
    const force = (body: object) => control(sandbox, 'post', '/organizations/org_demo/failures', body)
    const operation = 'POST /benefit-verification/{id}/cancel'
    await force({ operation, code: 'resource_busy', times: 2 }).expect(200)
    const code = await force({ operation, code: 'invalid_npi' }).expect(409)
    expect(code.body.error.legal).toContain('unexpected_error')
    const unknown = await force({ operation: 'DELETE /status', code: 'other' }).expect(409)
    expect(unknown.body.error.legal).toContain(operation)
  })
})

type Call = Awaited<ReturnType<typeof asOrganization>>['call']

function send(call: Call, { method }: Operation, path: string) {
  // The compiler cannot see that the three methods are the three that `call` takes.
  return call(method.toLowerCase() as 'get' | 'post' | 'patch', path, method === 'GET' ? undefined : {})
}
