import { readFileSync } from 'node:fs'
import { systemCodeOf } from '@pawl/base/errors'
import { PharmacySettingsInvalid } from '../pharmacy-settings-invalid.ts'
import type { PharmacySettings } from '../settings.ts'
import type { TransferPharmacy } from '../transfer-pharmacy.ts'
import { createSftpPharmacy } from './sftp-pharmacy.ts'

/** The pharmacy at `sftp://user@host:port/folder`; `/~/folder` is relative to the user's home. `name`: the setting that holds the address. Reads the key file. Throws `PharmacySettingsInvalid`. */
export function sftpPharmacy(url: string, settings: PharmacySettings, name = 'PHARMACY_URL'): TransferPharmacy {
  const { PHARMACY_HOST_KEY: hostKeys = [], PHARMACY_SSH_KEY_FILE: keyFile, PHARMACY_PASSWORD: password } = settings
  const { hostname, port, username, password: inUrl, pathname } = new URL(url)
  const faults: string[] = []
  if (username === '') faults.push(`${name}: needs the user, as in sftp://user@host/folder`)
  if (inUrl !== '') faults.push(`${name}: must not hold a password: put it into PHARMACY_PASSWORD`)
  if (hostKeys.length === 0)
    faults.push('PHARMACY_HOST_KEY: is missing; pawl sends files only to a server whose key it knows')
  if (keyFile === undefined && password === undefined)
    faults.push('PHARMACY_PASSWORD: is missing; the server asks for it, or for a key: PHARMACY_SSH_KEY_FILE')
  const privateKey = keyFile === undefined ? undefined : readKey(keyFile, faults)
  if (faults.length > 0) throw new PharmacySettingsInvalid(faults)
  return createSftpPharmacy({
    // The brackets of an IPv6 address belong to the URL, not to the host.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 22 : Number(port),
    username: decodeURIComponent(username),
    privateKey,
    password,
    hostKeys,
    folder: folderOf(pathname),
    format: settings.PHARMACY_FILE_FORMAT ?? 'ndjson',
    batchMs: settings.PHARMACY_BATCH_MS ?? 0,
  })
}

function folderOf(pathname: string): string {
  const path = decodeURIComponent(pathname).replace(/\/+$/, '')
  return path === '/~' ? '.' : path.replace(/^\/~\//, './')
}

function readKey(file: string, faults: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    faults.push(`PHARMACY_SSH_KEY_FILE: cannot be read (${systemCodeOf(error) ?? 'unexpected'})`)
    return undefined
  }
}
