import type { Socket } from 'node:net'
import { type OpenSftp, openSftp, openSocket, type SftpTarget } from './open-sftp.ts'
import { describeSftpError, SftpFailed } from './sftp-failed.ts'

/** The one connection to a server, opened when it is needed and closed when it is not for a while. */
export interface SftpConnection {
  /** Does one piece of work after the other. Each is given up, with the connection, after `withinMs()`, asked when its turn has come. Throws `SftpFailed`. */
  use<T>(withinMs: () => number, work: (sftp: OpenSftp) => Promise<T>): Promise<T>
  /** Gives up what is under way. */
  close(): void
}

/** Milliseconds for which a connection is kept for what may come next: servers limit how many logins they take at once. */
const idleMs = 10_000

/** Makes a connection to a server; it is not opened yet. */
export function createSftpConnection(target: SftpTarget): SftpConnection {
  let socket: Socket | undefined
  let open: OpenSftp | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  /** Fails what is under way. */
  let giveUp: (failure: SftpFailed) => void = () => {}

  function drop(): void {
    clearTimeout(idle)
    socket?.destroy()
    socket = undefined
    open = undefined
  }

  async function connect(): Promise<OpenSftp> {
    if (open !== undefined && socket?.destroyed === false) return open
    const fresh = openSocket(target)
    fresh.once('close', () => {
      if (socket !== fresh) return
      // A request that is made on a connection which has just gone is never answered; what has an error of its own says it first.
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
      giveUp(new SftpFailed(`it was not done within ${withinMs} ms`, { isSettings: false }))
    }, withinMs)
    try {
      return await Promise.race([connect().then(work), givenUp])
    } catch (error) {
      drop()
      throw describeSftpError(error)
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
