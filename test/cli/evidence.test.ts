import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { formatEvidence, gatherEvidence } from '../../src/cli/doctor/evidence.ts'
import { connectorsSettings } from '../support/shipped-integration.ts'
import { readConfig } from '../../src/settings/read-config.ts'

const secrets = {
  WEBHOOK_SECRETS: `canary-${randomBytes(16).toString('hex')},canary-${randomBytes(16).toString('hex')}`,
  SEALING_KEYS: [1, 2].map(() => randomBytes(32).toString('base64')).join(','),
  API_TOKEN: 'canary-token-of-the-service',
  FHIR_TOKEN: 'canary-token-of-the-chart',
  ADMIN_PASSWORD: 'canary-password-of-the-admin',
}
const sound = {
  ...secrets,
  NODE_ENV: 'production',
  API_BASE_URL: 'https://service.test',
  FHIR_BASE_URL: 'http://chart.test/fhir',
  DATABASE_URL: 'postgres://pawl:canary-of-the-database@db.test/pawl?sslmode=verify-full',
  RETENTION_DAYS: '14',
  ALLOWED_ADDRESSES: '192.0.2.0/24',
}

function gather(env: Record<string, string>) {
  const findings = [{ area: 'node', level: 'ok', says: 'It will do.', todo: null } as const]
  const about = {
    version: '1.2.3',
    node: '20.19.0',
    nowMs: Date.UTC(2026, 0, 31),
    systems: ['ehr'],
    logFields: ['ward'],
    findings,
  }
  return gatherEvidence({ ...about, config: readConfig(env, connectorsSettings) })
}

describe('the evidence for an auditor', () => {
  it('goes through every technical safeguard', () => {
    const { safeguards } = gather(sound)
    const sections = safeguards.map(({ section }) => section).join(' ')
    for (const part of [
      '(a)(1)',
      '(a)(2)(i)',
      '(a)(2)(ii)',
      '(a)(2)(iii)',
      '(a)(2)(iv)',
      '(b)',
      '(c)(1)',
      '(d)',
      '(e)(1)',
    ])
      expect(sections).toContain(part)
    for (const { here, operator } of safeguards) expect([here.length > 0, operator.length > 0]).toEqual([true, true])
  })

  it('says what is configured, and the findings of the doctor', () => {
    const text = formatEvidence(gather(sound))
    for (const part of [
      'pawl 1.2.3, Node 20.19.0, 2026-01-31T00:00:00.000Z',
      'people authenticate by one shared password',
      'from 1 address or network alone',
      'Sealing: on, AES-256-GCM, 2 keys',
      'Retention: 14 days; parked work 365 days; figures of the report 400 days.',
      'component, audit_head, ward.',
      'to the EHR with a bearer token',
      'FHIR_BASE_URL: http, not known to be encrypted.',
      'DATABASE_URL: PostgreSQL over the network, sslmode verify-full.',
      '- node, ok: It will do.',
    ])
      expect(text).toContain(part)
  })

  it('says what is not configured', () => {
    const { SEALING_KEYS: _, ADMIN_PASSWORD: __, DATABASE_URL: ___, ...rest } = sound
    const text = formatEvidence(gather({ ...rest, SEALING: 'off' }))
    for (const part of ['Sealing: off', 'people authenticate by nothing', 'Ledger: an SQLite file'])
      expect(text).toContain(part)
  })

  it('holds no secret, and no address that a password may be part of', () => {
    const evidence = gather(sound)
    const text = formatEvidence(evidence) + JSON.stringify(evidence)
    expect(text).not.toContain('canary')
    expect(text).not.toContain('db.test')
    for (const key of secrets.SEALING_KEYS.split(',')) expect(text).not.toContain(key)
  })
})
