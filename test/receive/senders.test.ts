import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAddressRanges, isAddressRange } from '../../packages/base/src/net/address-ranges.ts'
import { createMayDeliver } from '../../src/receive/senders.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { captureLog } from '../support/log-capture.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { goodBody, post } from './signed-requests.ts'

const service = '203.0.113.5'
const proxy = '10.0.0.1'
const farProxy = '10.0.0.2'
const stranger = '198.51.100.66'

const mayDeliver = createMayDeliver({
  allowed: ['203.0.113.0/24', '2001:db8:7::/48'],
  trustedProxies: createAddressRanges(['10.0.0.0/8']),
})

/** Whether a request from this peer, passed on for these addresses, may deliver. */
function may(remoteAddress: string, forwardedFor?: string): boolean {
  // Of the socket nothing else is read.
  const socket = { remoteAddress } as Parameters<typeof mayDeliver>[0]['socket']
  return mayDeliver({
    socket,
    headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
  })
}

describe('a list of allowed sender addresses', () => {
  it.each([
    ['an allowed address', service, undefined],
    ['the same on a listener for IPv4 and IPv6', `::ffff:${service}`, undefined],
    ['an allowed IPv6 network', '2001:db8:7::1', undefined],
    ['a trusted proxy for an allowed address', proxy, service],
    ['two trusted proxies', proxy, `${service}, ${farProxy}`],
    ['a trusted proxy that appends to the claim of a sender', proxy, `${stranger}, ${service}`],
    ['a proxy that adds the port', proxy, `${service}:4711`],
    ['a proxy that adds the port to an IPv6 address', proxy, '[2001:db8:7::1]:4711'],
  ])('allows %s', (_, peer, forwardedFor) => {
    expect(may(peer, forwardedFor)).toBe(true)
  })

  it.each([
    ['another address', stranger, undefined],
    ['an address that claims to forward an allowed one', stranger, service],
    ['a trusted proxy for another address', proxy, stranger],
    ['a sender that claims an allowed address before the proxy appends its own', proxy, `${service}, ${stranger}`],
    ['a trusted proxy without an address', proxy, undefined],
    ['a trusted proxy with an invalid address', proxy, `${service}, unknown`],
    ['an empty address', proxy, ' '],
  ])('refuses %s', (_, peer, forwardedFor) => {
    expect(may(peer, forwardedFor)).toBe(false)
  })

  it.each(['192.0.2.7', '192.0.2.0/24', '0.0.0.0/0', '::1', '2001:db8::/32'])('may contain %s', (text) => {
    expect(isAddressRange(text)).toBe(true)
  })

  it.each(['', 'example.org', '192.0.2.0/33', '192.0.2/24', '2001:db8::/129', '192.0.2.0/24/8', '1.2.3.4/'])(
    'may not contain %j',
    (text) => {
      expect(isAddressRange(text)).toBe(false)
      expect(() => createAddressRanges([text])).toThrow(TypeError)
    },
  )
})

describe('a receiver behind a trusted proxy', () => {
  let gateway: LocalGateway
  const log = captureLog()
  beforeEach(async () => {
    log.clear()
    gateway = await startLocalGateway(
      { api: createScriptedApi().api, handlers: [], log: log.log },
      { ALLOWED_ADDRESSES: '203.0.113.0/24', TRUSTED_PROXIES: '127.0.0.1' },
    )
  })
  afterEach(() => gateway.destroy())

  it('accepts allowed addresses, and refuses others with 403 before reading their token', async () => {
    expect((await post(gateway.url, goodBody, { 'x-forwarded-for': service })).status).toBe(202)
    for (const headers of [{}, { 'x-forwarded-for': stranger }, { 'x-forwarded-for': `${service}, ${stranger}` }])
      expect(await post(gateway.url, goodBody, { ...headers, 'x-webhook-secret': 'none' })).toMatchObject({
        status: 403,
        body: { error: { code: 'address_not_allowed' } },
      })
    expect((await gateway.ledger.counts()).events).toBe(1)
    const lines = log.lines().filter(({ reason }) => reason === 'address_not_allowed')
    expect(lines).toHaveLength(3)
    expect(lines[0]?.msg).toContain('ALLOWED_ADDRESSES')
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
  })
})
