import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type SftpClient from 'ssh2-sftp-client'
import { describeSftpError, SftpFailed } from './sftp-failed.ts'

/** An SFTP server and pawl's login there. */
export interface SftpTarget {
  host: string
  port: number
  username: string
  /** In OpenSSH's or PEM format. */
  privateKey?: string | undefined
  password?: string | undefined
  /** Fingerprints (`SHA256:…`); the server's host key must match one. */
  hostKeys: readonly string[]
}

/** The raw protocol behind the client, for operations that the client lacks. */
export type SftpProtocol = Awaited<ReturnType<SftpClient['connect']>>

/** An open connection. */
export interface OpenSftp {
  client: SftpClient
  protocol: SftpProtocol
}

/** Loaded on first use. */
const loadClient = () => import('ssh2-sftp-client')

/** The socket of a connection; destroying it ends all operations. Pass it to `openSftp` at once, which handles its errors. */
export async function openSocket({ host, port }: SftpTarget): Promise<Socket> {
  // While it loads, a refused connection would be an uncaught error.
  await loadClient()
  // Otherwise, each short request waits 40 ms for the acknowledgement of the one before.
  return connect({ host, port, noDelay: true })
}

/** Logs in over a socket. Sends nothing, not even the password, to a server without a pinned host key. Throws `SftpFailed`. */
export async function openSftp(target: SftpTarget, socket: Socket): Promise<OpenSftp> {
  const { host, username, privateKey, password } = target
  const pinned = new Set(target.hostKeys.map((fingerprint) => fingerprint.replace(/=$/, '')))
  let shown: string | undefined
  let raised: unknown
  const { default: Client } = await loadClient()
  // Pending calls reject on ends and errors; the default hooks would only log them.
  const client = new Client('pawl', { error() {}, end() {}, close() {} })
  client.on('error', (error: unknown) => (raised ??= error))
  try {
    const protocol = await client.connect({
      sock: socket,
      host,
      username,
      ...(privateKey !== undefined && { privateKey }),
      ...(password !== undefined && { password }),
      // The caller has its own time limit.
      readyTimeout: 0,
      hostVerifier(key: Buffer) {
        shown = fingerprintOf(key)
        return pinned.has(shown)
      },
    })
    return { client, protocol }
  } catch (error) {
    socket.destroy()
    if (shown !== undefined && !pinned.has(shown)) throw otherHost(shown)
    if (isKeyUnusable(error)) throw keyUnusable()
    throw isLoginRefused(raised) ? loginRefused(target) : describeSftpError(raised ?? error, username)
  }
}

/** As `ssh-keygen -l` shows it. */
function fingerprintOf(hostKey: Buffer): string {
  return `SHA256:${createHash('sha256').update(hostKey).digest('base64').replace(/=$/, '')}`
}

function otherHost(shown: string): SftpFailed {
  const reason = `the server shows the host key ${shown}, which PHARMACY_HOST_KEY does not name: it may not be the pharmacy's server; ask the pharmacy before you add it`
  return new SftpFailed(reason, { isSettings: true })
}

function loginRefused({ username, privateKey, host }: SftpTarget): SftpFailed {
  const what = privateKey === undefined ? 'PHARMACY_PASSWORD' : 'the key of PHARMACY_SSH_KEY_FILE'
  return new SftpFailed(
    `${host} refuses ${what} for the account ${username}: have the pharmacy compare both with what it registered`,
    { isSettings: true },
  )
}

function isLoginRefused(error: unknown): boolean {
  return error instanceof Error && 'level' in error && error.level === 'client-authentication'
}

/** The library reports it by message only. */
function isKeyUnusable(error: unknown): boolean {
  return error instanceof Error && /privateKey/.test(error.message)
}

function keyUnusable(): SftpFailed {
  return new SftpFailed('PHARMACY_SSH_KEY_FILE holds no private key without a passphrase', { isSettings: true })
}
