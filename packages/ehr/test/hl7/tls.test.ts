import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, type Server } from 'node:net'
import type { TlsOptions } from 'node:tls'
import type { MllpTarget } from '../../src/hl7/mllp-connection.ts'
import { type Hl7Listener, startHl7Listener, startTlsDoor } from '../../../../test/support/hl7-listener.ts'
import { needs } from '../../../../test/support/needs.ts'
import { createTestRun } from '../../../../test/support/run-context.ts'
import { samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { type Certificates, makeCertificates } from '../../../../test/support/tls-certificates.ts'
import { openBySettings, openHl7 } from './open-hl7.ts'

const openssl = needs('openssl')

// A server that listens on a port has an address object; the type also knows pipes.
const portOf = (server: Server) => (server.address() as AddressInfo).port

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

  it('is reached by mllps://, with authority and client certificate from the files of the settings', async () => {
    const { ca, client } = certificates
    const door = await startTlsDoor(listener.port, isAsked())
    const system = openBySettings({
      EHR_URL: `mllps://127.0.0.1:${door.port}`,
      HL7_CA_FILE: ca.certFile,
      HL7_CERT_FILE: client.certFile,
      HL7_KEY_FILE: client.keyFile,
    })
    await system.open(createTestRun()).putPriorAuthorization(samplePriorAuthorization())
    expect(listener.documents()).toHaveLength(1)
    await system.close?.()
    await door.close()
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

  it('that is a web server is found out by the check, which sends nothing', async () => {
    const requests: unknown[] = []
    const server = createHttpsServer(certificates.server, (request) => void requests.push(request.url))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const system = openHl7(portOf(server), { tls: { ca: certificates.ca.cert } })
    const report = await system.check?.(new AbortController().signal)
    await system.close?.()
    server.close()
    expect(report).toMatchObject({
      ok: false,
      findings: [expect.stringContaining('a web server (HTTP) answers there')],
    })
    expect(requests).toEqual([])
  })

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
})

describe('the check of a listener by TLS', () => {
  it('with a test patient has a document stored and ended there, which proves it', async () => {
    const listener = await startHl7Listener()
    const sample = { patient: '0007', write: true }
    const report = await openHl7(listener.port).check?.(new AbortController().signal, sample)
    expect(report).toMatchObject({ ok: true, faults: [] })
    expect(report?.findings.join('\n')).toMatch(/acknowledged a document.*speaks HL7.*\n.*acknowledged the end/)
    expect(report?.findings.join('\n')).not.toContain('not proven')
    expect(listener.documents()).toMatchObject([{ status: 'cancelled', patientNumber: '0007' }])
    expect(listener.documents()[0]?.message.toString()).toContain('This tests whether pawl can write here')
    await expect.poll(() => listener.connections()).toBe(0)
    await listener.close()
  })

  it('with a test patient names a refusal, and a document that stays', async () => {
    const listener = await startHl7Listener()
    const sample = { patient: '0007', write: true }
    const check = (hasStaffTasks: boolean) =>
      openHl7(listener.port, { hasStaffTasks }).check?.(new AbortController().signal, sample)
    listener.answer(() => ({ code: 'AE', more: ['ERR||PID^1^3|101^x^HL70357|E'] }))
    expect(await check(true)).toMatchObject({ ok: false, faults: [expect.stringMatching(/not taken: .*AE at PID-3/)] })
    listener.answer((message) => ({ code: message.header.getComponent(9, 2) === 'T11' ? 'AR' : 'AA' }))
    expect(await check(true)).toMatchObject({
      ok: false,
      faults: [expect.stringMatching(/stays: .*Delete it by hand, and set HL7_STAFF_TASKS=none/)],
    })
    expect(await check(false)).toMatchObject({ ok: true, faults: [] })
    await listener.close()
  })
})
