import { describe, expect, it } from 'vitest'
import { testValues } from '../src/platform/test-values.ts'
import { asOrganization, control, startSandbox } from './play.ts'

const provider = {
  npi: '1234567893',
  first_name: 'Max',
  last_name: 'Muster',
  email: 'max@example.com',
  fax_number: '555-0100',
}

describe('the authorization of a provider', () => {
  it('lists the provider once it is signed, to its own organization alone', async () => {
    const { sandbox, call } = await startSandbox({ organizations: [{ id: 'org_a' }, { id: 'org_b' }] })
    const { body } = await call('post', '/provider/authorize', provider).expect(200)
    expect(body).toEqual({ status: 'success' })
    expect((await call('get', '/authorized-providers').expect(200)).body).toEqual([])
    sandbox.controls.step()
    const signed = [{ ...provider, signed_at: expect.stringMatching(/^\d{4}-/) }]
    expect((await call('get', '/authorized-providers').expect(200)).body).toEqual(signed)
    const other = await asOrganization(sandbox, 'org_b')
    expect((await other.call('get', '/authorized-providers').expect(200)).body).toEqual([])
    await other.call('post', '/provider/authorize', provider).expect(200)
  })

  it('is initiated once for an NPI and once for an e-mail address', async () => {
    const { call } = await startSandbox()
    await call('post', '/provider/authorize', provider).expect(200)
    for (const fields of [{ email: 'other@example.com' }, { npi: '1999999919', email: 'MAX@example.com' }]) {
      const { body } = await call('post', '/provider/authorize', { ...provider, ...fields }).expect(409)
      expect(body).toMatchObject({ status: 'error', error: { code: 'PROVIDER_AUTHORIZATION_ALREADY_INITIATED' } })
    }
    await call('post', '/provider/authorize', { ...provider, npi: '1999999919', email: 'other@example.com' }).expect(
      200,
    )
  })

  it('can be signed by a control', async () => {
    const { sandbox, call } = await startSandbox()
    const sign = () => control(sandbox, 'post', `/organizations/org_demo/providers/${provider.npi}/sign`)
    await sign().expect(404)
    await call('post', '/provider/authorize', provider).expect(200)
    await sign().expect(200)
    expect((await call('get', '/authorized-providers')).body).toHaveLength(1)
    expect((await sign().expect(409)).body.error).toMatchObject({ code: 'illegal_transition', legal: [] })
  })
})

describe('the lookup of a provider', () => {
  it.each([
    ['1234567893', 'active'],
    [testValues.deactivatedNpi, 'deactivated'],
    ['1234567890', 'not_found'],
    [testValues.registryErrorNpi, 'registry_error'],
  ])('by NPI %s answers %s', async (npi, status) => {
    const { call } = await startSandbox()
    const { body } = await call('post', '/provider/lookup', { npi }).expect(200)
    const individual = { npi, first_name: expect.any(String), last_name: expect.any(String), state: expect.any(String) }
    expect(body).toEqual(status === 'active' || status === 'deactivated' ? { status, individual } : { status })
  })

  it('by name answers the same candidates as a lookup by NPI', async () => {
    const { call } = await startSandbox()
    const name = { first_name: 'Max', last_name: 'Muster', state: 'OR' }
    const { body } = await call('post', '/provider/lookup', name).expect(200)
    expect(body.status).toBe('search_results')
    for (const candidate of body.candidates) {
      const answer = await call('post', '/provider/lookup', { npi: candidate.npi }).expect(200)
      expect(answer.body).toEqual({ status: 'active', individual: candidate })
    }
    const again = await (await startSandbox()).call('post', '/provider/lookup', name).expect(200)
    expect(again.body).toEqual(body)
    for (const [last_name, status] of [
      [testValues.unknownName, 'not_found'],
      [testValues.registryErrorName, 'registry_error'],
    ])
      expect((await call('post', '/provider/lookup', { ...name, last_name }).expect(200)).body).toEqual({ status })
  })
})
