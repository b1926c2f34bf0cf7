import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { needs } from './needs.ts'

/** The path of OpenSSH's server, where there is one. */
export const sshd = needs('sshd', { package: 'openssh-server', folders: ['/usr/sbin'] })
needs('ssh-keygen', { package: 'openssh-client' })

/** A real OpenSSH server on a free port of 127.0.0.1, which takes files from this user by one key. */
export interface SftpServer {
  port: number
  username: string
  /** Of its host key. */
  fingerprint: string
  /** The private key that it takes, and one that it does not know. */
  keyFile: string
  strangerKeyFile: string
  /** An empty folder for files. */
  folder: string
  /** The files there by name, in the order of their names. */
  files(): Promise<{ name: string; content: string }[]>
  /** From now on each connection is cut after so many bytes from the client; undefined: none is. */
  cutAfter(bytes: number | undefined): void
  /** Cuts the connections that are open now. */
  dropConnections(): void
  /** Bytes that clients have sent so far, and connections that they have made. */
  traffic(): { bytes: number; connections: number }
  /** Stops it, and removes its folders. */
  close(): Promise<void>
}

/** Starts it. `readOnly`: it refuses every change of a file. */
export async function startSftpServer({ readOnly = false } = {}): Promise<SftpServer> {
  if (sshd === undefined) throw new Error('OpenSSH is not installed')
  const program = sshd
  // A folder that OpenSSH wants to have when it is root's; its package makes it when the service starts.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const home = await mkdtemp(join(tmpdir(), 'pawl-sshd-'))
  const at = (name: string) => join(home, name)
  for (const name of ['host', 'client', 'stranger'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', at(name)])
  await writeFile(at('authorized'), await readFile(at('client.pub')))
  await mkdir(at('in'))
  const settings = [
    `HostKey ${at('host')}`,
    `AuthorizedKeysFile ${at('authorized')}`,
    `Subsystem sftp internal-sftp${readOnly ? ' -R' : ''}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PermitRootLogin yes',
    'PasswordAuthentication yes',
    'KbdInteractiveAuthentication no',
  ]
  await writeFile(at('sshd.conf'), settings.join('\n'))

  let cutAfter: number | undefined
  const traffic = { bytes: 0, connections: 0 }
  const sockets = new Set<Socket>()
  const stopped: Promise<unknown>[] = []
  // One process for each connection, as inetd does it: no port has to be guessed, and a cut is a cut.
  const server = createServer({ noDelay: true }, (socket) => {
    const child = spawn(program, ['-i', '-f', at('sshd.conf')], { stdio: ['pipe', 'pipe', 'ignore'] })
    stopped.push(new Promise((resolve) => child.once('close', resolve)))
    sockets.add(socket)
    traffic.connections += 1
    let left = cutAfter
    socket.on('data', (chunk: Buffer) => {
      const passed = chunk.subarray(0, left ?? chunk.length)
      traffic.bytes += passed.length
      child.stdin.write(passed)
      if (left === undefined) return
      left -= passed.length
      if (left <= 0) socket.destroy()
    })
    child.stdout.on('data', (chunk: Buffer) => socket.write(chunk))
    child.stdin.on('error', () => socket.destroy())
    child.once('exit', () => socket.end())
    socket.on('error', () => {})
    socket.once('close', () => {
      sockets.delete(socket)
      child.stdin.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    // A server that listens on a port has an address object; the type also knows pipes.
    port: (server.address() as AddressInfo).port,
    username: userInfo().username,
    fingerprint: fingerprintOf(at('host.pub')),
    keyFile: at('client'),
    strangerKeyFile: at('stranger'),
    folder: at('in'),
    async files() {
      const names = (await readdir(at('in'))).toSorted()
      const read = names.map(async (name) => ({ name, content: await readFile(join(at('in'), name), 'utf8') }))
      // One that is renamed or taken back meanwhile is no longer there under its name.
      const found = await Promise.allSettled(read)
      return found.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    },
    cutAfter(bytes) {
      cutAfter = bytes
    },
    dropConnections() {
      for (const socket of sockets) socket.destroy()
    },
    traffic: () => traffic,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await Promise.all([closed, ...stopped])
      await rm(home, { recursive: true })
    },
  }
}

function fingerprintOf(file: string): string {
  const shown = execFileSync('ssh-keygen', ['-l', '-f', file], { encoding: 'utf8' })
  return /SHA256:\S+/.exec(shown)?.[0] ?? ''
}
