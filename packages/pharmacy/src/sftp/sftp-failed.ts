/** An SFTP operation failed. The message never quotes the server; its cause may. */
export class SftpFailed extends Error {
  /** Only an operator can fix it, such as a host key or a permission; the notice itself is fine. */
  readonly isSettings: boolean

  constructor(reason: string, { isSettings, cause }: { isSettings: boolean; cause?: unknown }) {
    super(reason, { cause })
    this.isSettings = isSettings
  }
}

/** Meaning of the SFTP statuses (draft-ietf-secsh-filexfer-02, 7). The library has names for two of them. */
const meanings = new Map<unknown, { reason: string; isSettings: boolean }>([
  [2, noSuchFolder()],
  ['ENOENT', noSuchFolder()],
  [3, noPermission()],
  ['EACCES', noPermission()],
  [4, { reason: 'the server failed, for example with a full disk (SFTP failure 4)', isSettings: false }],
])

/** Translates an error of a file operation of this account. */
export function describeSftpError(error: unknown, account = 'of pawl'): SftpFailed {
  if (error instanceof SftpFailed) return error
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const { reason, isSettings } = meanings.get(code) ?? { reason: reasonOf(code), isSettings: false }
  return new SftpFailed(
    reason.replace('{account}', () => account),
    { isSettings, cause: error },
  )
}

function reasonOf(code: unknown): string {
  if (typeof code === 'number') return `the server refused it (SFTP status ${code})`
  const isSystemCode = typeof code === 'string' && /^E[A-Z]+$/.test(code)
  return isSystemCode ? `no connection (${code})` : 'the connection was lost'
}

function noSuchFolder() {
  return {
    reason: 'the server has no such folder: check the path in PHARMACY_URL, or have the pharmacy create it',
    isSettings: true,
  }
}

function noPermission() {
  return {
    reason:
      'the account {account} may not write to the folder: check the path in PHARMACY_URL, or have the pharmacy allow it',
    isSettings: true,
  }
}
