import { writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pharmacyFrom } from '../src/pharmacy-from.ts'
import { PharmacySettingsInvalid } from '../src/pharmacy-settings-invalid.ts'
import type { PharmacySettings } from '../src/settings.ts'
import { createTestRun } from '../../../test/support/run-context.ts'
import { samplePriorAuthorization, sampleTransfer } from '../../../test/support/samples.ts'
import { type SftpServer, sshd, startSftpServer } from '../../../test/support/sftp-server.ts'

const transferred = samplePriorAuthorization({ status: 'completed', prescription_transfer: sampleTransfer() })

describe.skipIf(sshd === undefined)('an address sftp://', () => {
  let server: SftpServer
  beforeEach(async () => {
    server = await startSftpServer()
  })
  afterEach(() => server.close())

  const settings = () => ({
    NODE_ENV: 'production',
    PHARMACY_URL: `sftp://${server.username}@127.0.0.1:${server.port}${server.folder}`,
    PHARMACY_HOST_KEY: [server.fingerprint],
    PHARMACY_SSH_KEY_FILE: server.keyFile,
  })

  it('has notices written to its folder, in the format that the settings name', async () => {
    const system = pharmacyFrom({ ...settings(), PHARMACY_FILE_FORMAT: 'csv' })
    await system.open(createTestRun()).putPrescriptionTransfer(transferred)
    await system.close?.()
    expect((await server.files()).map(({ name }) => /-pa_req_1-\d+\.csv$/.test(name))).toEqual([true])
  })

  it('may be that of one of several pharmacies', async () => {
    const { PHARMACY_URL: url, ...rest } = settings()
    const system = pharmacyFrom({ ...rest, PHARMACY_ROUTES: { '7654321': { url: `${url}/` } } })
    await system.open(createTestRun()).putPrescriptionTransfer(transferred)
    expect(await system.check?.(new AbortController().signal)).toMatchObject({ ok: true })
    await system.close?.()
    expect(await server.files()).toHaveLength(1)
  })

  it('with a key that cannot be used has the check say so', async () => {
    await writeFile(server.strangerKeyFile, 'canary')
    const system = pharmacyFrom({ ...settings(), PHARMACY_SSH_KEY_FILE: server.strangerKeyFile })
    expect(await system.check?.(new AbortController().signal)).toEqual({
      ok: false,
      findings: [expect.stringContaining('PHARMACY_SSH_KEY_FILE holds no private key without a passphrase')],
    })
  })

  it("with /~/ is within the user's own folder", async () => {
    const url = `sftp://${server.username}@127.0.0.1:${server.port}/~/no-folder-of-this-name`
    const report = await pharmacyFrom({ ...settings(), PHARMACY_URL: url }).check?.(new AbortController().signal)
    expect(report?.findings[0]).toContain('no such folder')
  })
})

describe('the settings of an address sftp://', () => {
  const complete = {
    NODE_ENV: 'production',
    PHARMACY_URL: 'sftp://pawl@pharmacy.example/in',
    PHARMACY_HOST_KEY: [`SHA256:${'A'.repeat(43)}`],
    PHARMACY_PASSWORD: 'canary',
  }

  it.each<[string, PharmacySettings, string]>([
    ['no user', { PHARMACY_URL: 'sftp://pharmacy.example/in' }, 'PHARMACY_URL: needs the user'],
    ['a password', { PHARMACY_URL: 'sftp://pawl:canary@pharmacy.example/in' }, 'must not hold a password'],
    ['no host key', { PHARMACY_HOST_KEY: undefined }, 'PHARMACY_HOST_KEY: is missing'],
    ['neither key nor password', { PHARMACY_PASSWORD: undefined }, 'PHARMACY_PASSWORD: is missing'],
    ['a key file that is not there', { PHARMACY_SSH_KEY_FILE: '/none/canary' }, 'cannot be read (ENOENT)'],
  ])('with %s are refused by name', (_, different, fault) => {
    const connect = () => pharmacyFrom({ ...complete, ...different })
    expect(connect).toThrow(PharmacySettingsInvalid)
    expect(connect).toThrow(fault)
    expect(connect).not.toThrow(/canary/)
  })
})
