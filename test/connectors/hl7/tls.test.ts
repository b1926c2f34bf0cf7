import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TlsOptions } from 'node:tls'
import type { MllpTarget } from '../../../src/connectors/ehr/hl7/mllp-connection.ts'
import { type Hl7Listener, startHl7Listener, startTlsDoor } from '../../support/hl7-listener.ts'
import { needs } from '../../support/needs.ts'
import { createTestRun } from '../../support/run-context.ts'
import { samplePriorAuthorization } from '../../support/samples.ts'
import { type Certificates, makeCertificates } from '../../support/tls-certificates.ts'
import { openHl7 } from './open-hl7.ts'

const openssl = needs('openssl')

describe.skipIf(openssl === undefined)('a listener by TLS', () => {
  let certificates: Certificates
  let listener: Hl7Listener
  beforeAll(async () => {
    certificates = await makeCertificates()
  })
  afterAll(async () => {
    await certificates.remove()
  })
  beforeEach(async () => {
    listener = await startHl7Listener()
  })
  afterEach(async () => {
    await listener.close()
  })

  /** Writes one document through a door with these options; resolves with its error, the check, and what arrived. */
  async function through(options: TlsOptions, tls: MllpTarget['tls']) {
    const door = await startTlsDoor(listener.port, options)
    const system = openHl7(door.port, { tls })
    try {
      const check = await system.check?.(new AbortController().signal)
      const error: unknown = await system
        .open(createTestRun())
        .putPriorAuthorization(samplePriorAuthorization())
        .catch((caught: unknown) => caught)
      return { error, check, stored: listener.documents().length }
    } finally {
      await system.close?.()
      await door.close()
    }
  }

  const refused = { retry: 'backoff', isOutage: true, costsAttempt: false }
  const isAsked = (): TlsOptions => ({
    ...certificates.server,
    ca: certificates.ca.cert,
    requestCert: true,
    rejectUnauthorized: true,
  })

  it('is sent to where its certificate is of the authority that HL7_CA_FILE names', async () => {
    const { error, check, stored } = await through(certificates.server, { ca: certificates.ca.cert })
    expect([error, stored]).toEqual([undefined, 1])
    expect(check).toMatchObject({ ok: true, findings: [expect.stringContaining('by TLS')] })
  })

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'is shown the client certificate that it asks for (%s)',
    async (maxVersion) => {
      const { cert, key } = certificates.client
      const { error, stored } = await through({ ...isAsked(), maxVersion }, { ca: certificates.ca.cert, cert, key })
      expect([error, stored]).toEqual([undefined, 1])
    },
  )

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'that gets no client certificate is found out by the check, and is sent nothing (%s)',
    async (maxVersion) => {
      const { error, check, stored } = await through({ ...isAsked(), maxVersion }, { ca: certificates.ca.cert })
      expect(check).toMatchObject({ ok: false, findings: [expect.stringMatching(/HL7_CERT_FILE|lost|ECONNRESET/)] })
      expect(error).toMatchObject({ retry: 'backoff', isOutage: true })
      expect(stored).toBe(0)
    },
  )

  it('of an unknown authority is sent nothing, and the setting is named', async () => {
    const { error, check, stored } = await through(certificates.server, {})
    expect(error).toMatchObject(refused)
    expect(String(error)).toContain('HL7_CA_FILE')
    expect(check?.ok).toBe(false)
    expect(stored).toBe(0)
  })

  it('with a certificate for another host is sent nothing', async () => {
    const { error, stored } = await through(certificates.elsewhere, { ca: certificates.ca.cert })
    expect(error).toMatchObject(refused)
    expect(String(error)).toContain('another host')
    expect(stored).toBe(0)
  })

  it('that speaks no TLS is sent nothing', async () => {
    const system = openHl7(listener.port, { tls: { ca: certificates.ca.cert }, timeoutMs: 500 })
    const check = await system.check?.(new AbortController().signal)
    await system.close?.()
    expect(check).toMatchObject({ ok: false, findings: [expect.stringContaining('and that TLS is spoken there')] })
    expect(listener.received).toEqual([])
  })
})

describe('the check', () => {
  it('opens a connection, sends nothing, and says which', async () => {
    const listener = await startHl7Listener()
    const report = await openHl7(listener.port).check?.(new AbortController().signal)
    expect(report).toMatchObject({ ok: true, findings: [expect.stringContaining('unencrypted. Nothing was sent')] })
    expect(listener.received).toEqual([])
    await listener.close()
  })

  it('says why there is none', async () => {
    const report = await openHl7(9).check?.(new AbortController().signal)
    expect(report).toMatchObject({ ok: false, findings: [expect.stringContaining('ECONNREFUSED')] })
  })
})
