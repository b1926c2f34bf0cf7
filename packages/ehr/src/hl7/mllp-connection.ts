import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls, TLSSocket } from 'node:tls'
import { describeSocketError, MllpFailed } from './mllp-failed.ts'
import { type AnswerReader, blockOf, createAnswerReader, isHttp, isTail } from './mllp-frames.ts'

/** An MLLP listener; with `tls`, pawl connects by TLS only. */
export interface MllpTarget {
  host: string
  port: number
  /** PEM texts. */
  tls?: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined } | undefined
}

/** One message and the recognition of its answer. */
export interface MllpExchange<T extends object> {
  message: Buffer
  /** Max milliseconds, read when its turn comes. */
  withinMs: () => number
  signal: AbortSignal
  /** Called when its turn comes, before a connection is opened. Its errors pass. */
  begin: () => void
  /** Called right before the message is sent. Its errors pass. */
  assertMayAct: () => void
  /** The answer in a block, or undefined if the block answers something else. */
  read: (block: Buffer) => T | undefined
}

/** The one connection of a process to a listener: opened on demand, then kept. Each message waits for the answer to the one before; a listener that speaks between them is cut off. */
export interface MllpConnection {
  /** Throws `MllpFailed` and closes the connection, so that a late answer cannot match another message. */
  exchange<T extends object>(exchange: MllpExchange<T>): Promise<T>
  /** Opens the connection without sending. Throws `MllpFailed`, also if the server is no listener: it chooses HTTP by TLS, or speaks first. */
  probe(withinMs: number, signal: AbortSignal): Promise<void>
  /** Gives up the exchange in progress. */
  close(): void
}

/** Milliseconds between TCP keep-alive probes, since firewalls drop idle connections silently. */
const keepAliveMs = 30_000
/** Milliseconds for which a probe waits for a refusal: with TLS 1.3 a listener refuses a client certificate after the client counts as connected. */
const settleMs = 300

/**
 * Makes a connection to a listener without opening it. The sockets are pawl's own: `node-hl7-client` (3.2) pairs an acknowledgement with no message, loses a
 * block that begins in the chunk where another ends, and after a cut blocks the event loop with the next message; `@medplum/hl7` has no TLS.
 */
export function createMllpConnection(target: MllpTarget): MllpConnection {
  let socket: Socket | undefined
  let last: Promise<unknown> = Promise.resolve()
  let onBlock: (block: Buffer) => void = () => {}
  /** Reads the answer of the turn in progress. */
  let answer: AnswerReader | undefined
  /** Fails the turn in progress. */
  let giveUp: (failure: MllpFailed) => void = () => {}

  function drop(): void {
    socket?.destroy()
    socket = undefined
  }

  async function connect(protocols?: string[]): Promise<Socket> {
    if (socket !== undefined && socket.writable) return socket
    drop()
    const fresh = openSocket(target, protocols)
    socket = fresh
    let raised: unknown
    fresh.on('error', (error) => (raised ??= error))
    fresh.on('data', (bytes) => {
      // Cut off a listener that speaks between turns.
      if (answer === undefined) return isTail(bytes) ? undefined : drop()
      try {
        for (const block of answer.read(bytes)) onBlock(block)
      } catch (error) {
        drop()
        giveUp(error instanceof MllpFailed ? error : describeSocketError(error))
      }
    })
    fresh.once('close', () => {
      if (socket !== fresh) return
      socket = undefined
      giveUp(answer?.fault() ?? describeSocketError(raised))
    })
    await new Promise<void>((resolve) => {
      fresh.once(target.tls === undefined ? 'connect' : 'secureConnect', () => resolve())
    })
    return fresh
  }

  /** Gives `work` the open connection, and a promise that rejects when the turn is given up. */
  async function turn<T>(
    withinMs: number,
    signal: AbortSignal,
    work: (open: Socket, failed: Promise<never>) => Promise<T>,
    protocols?: string[],
  ): Promise<T> {
    if (signal.aborted) throw givenUp()
    const failed = new Promise<never>((_, reject) => (giveUp = reject))
    failed.catch(() => {})
    const reader = createAnswerReader()
    answer = reader
    let isOpen = false
    const timeout = setTimeout(() => {
      const hint = isOpen || target.tls === undefined ? '' : '; check host and port, and that TLS is spoken there'
      giveUp(reader.fault() ?? new MllpFailed(`no answer within ${withinMs} ms${hint}`))
    }, withinMs)
    const abort = () => giveUp(givenUp())
    signal.addEventListener('abort', abort, { once: true })
    try {
      const open = await Promise.race([connect(protocols), failed])
      isOpen = true
      const done = await work(open, failed)
      if (reader.isInBlock()) drop()
      return done
    } catch (error) {
      if (error instanceof MllpFailed) drop()
      throw error
    } finally {
      clearTimeout(timeout)
      signal.removeEventListener('abort', abort)
      giveUp = () => {}
      onBlock = () => {}
      answer = undefined
    }
  }

  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const done = last.then(run)
    last = done.catch(() => {})
    return done
  }

  return {
    exchange: ({ message, withinMs, signal, begin, assertMayAct, read }) =>
      inTurn(async () => {
        begin()
        return turn(Math.max(1, Math.floor(withinMs())), signal, async (open, failed) => {
          assertMayAct()
          const answered = new Promise<NonNullable<ReturnType<typeof read>>>((resolve) => {
            onBlock = (block) => {
              const answer = read(block)
              if (answer !== undefined) resolve(answer)
            }
          })
          open.write(blockOf(message))
          return Promise.race([answered, failed])
        })
      }),
    probe: (withinMs, signal) =>
      inTurn(() =>
        turn(
          withinMs,
          signal,
          async (open, failed) => {
            if (open instanceof TLSSocket && typeof open.alpnProtocol === 'string') throw isHttp()
            const spoken = new Promise<never>((_, reject) => {
              open.once('data', () =>
                reject(new MllpFailed('the server speaks first, as no HL7 listener does: check the port')),
              )
            })
            const settled = new Promise<void>((resolve) => void setTimeout(resolve, settleMs))
            await Promise.race([settled, failed, spoken])
          },
          ['http/1.1'],
        ),
      ),
    close() {
      giveUp(givenUp())
      drop()
    },
  }
}

/** `protocols`: offered by TLS (ALPN). A listener has none; a web server chooses. */
function openSocket({ host, port, tls }: MllpTarget, protocols?: string[]): Socket {
  const options = { host, port, keepAlive: true, keepAliveInitialDelay: keepAliveMs, noDelay: true }
  if (tls === undefined) return connectPlain(options)
  const { ca, cert, key } = tls
  return connectTls({
    ...options,
    minVersion: 'TLSv1.2',
    // An address is no server name (RFC 6066, 3).
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(protocols !== undefined && { ALPNProtocols: protocols }),
  })
}

function givenUp(): MllpFailed {
  return new MllpFailed('the run was given up', { isGivenUp: true })
}
