import type { Socket } from 'node:net'
import { type OpenSftp, openSftp, openSocket, type SftpTarget } from './open-sftp.ts'
import { describeSftpError, SftpFailed } from './sftp-failed.ts'

/** The one connection to a server, opened on demand and closed when idle. */
export interface SftpConnection {
  /** Runs pieces of work one after another. Each is aborted, with the connection, `withinMs()` after its turn began. Throws `SftpFailed`. */
  use<T>(withinMs: () => number, work: (sftp: OpenSftp) => Promise<T>): Promise<T>
  /** Aborts the work in progress. */
  close(): void
}

/** Milliseconds for which an idle connection stays open: servers limit concurrent logins. */
const idleMs = 10_000

/** Makes a connection to a server without opening it. */
export function createSftpConnection(target: SftpTarget): SftpConnection {
  let socket: Socket | undefined
  let open: OpenSftp | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  /** Fails the work in progress. */
  let giveUp: (failure: SftpFailed) => void = () => {}

  function drop(): void {
    clearTimeout(idle)
    socket?.destroy()
    socket = undefined
    open = undefined
  }

  async function connect(): Promise<OpenSftp> {
    if (open !== undefined && socket?.destroyed === false) return open
    const fresh = await openSocket(target)
    fresh.once('close', () => {
      if (socket !== fresh) return
      // A request on a connection that just closed is never answered. A more precise error comes first.
      setImmediate(giveUp, new SftpFailed('the connection was lost', { isSettings: false }))
      drop()
    })
    socket = fresh
    open = await openSftp(target, fresh)
    return open
  }

  async function run<T>(withinMs: number, work: (sftp: OpenSftp) => Promise<T>): Promise<T> {
    clearTimeout(idle)
    const givenUp = new Promise<never>((_, reject) => (giveUp = reject))
    const timeout = setTimeout(() => {
      giveUp(new SftpFailed(`not done within ${withinMs} ms`, { isSettings: false }))
    }, withinMs)
    try {
      return await Promise.race([connect().then(work), givenUp])
    } catch (error) {
      drop()
      throw describeSftpError(error, target.username)
    } finally {
      clearTimeout(timeout)
      idle = setTimeout(drop, idleMs).unref()
    }
  }

  return {
    use(withinMs, work) {
      const done = last.then(() => run(Math.max(1, Math.floor(withinMs())), work))
      last = done.catch(() => {})
      return done
    },
    close: drop,
  }
}
