import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A real mail server on a free port of every address of this machine. */
export interface MailServer {
  port: number
  /** Accepted mails as received, oldest first. */
  mails: { text: string; isEncrypted: boolean }[]
  close(): Promise<void>
}

/** A step of the protocol at which a server says no. */
export type MailStep = 'greeting' | 'from' | 'to' | 'data'

export interface MailServerOptions extends SMTPServerOptions {
  /** With which code, and where, the next mails are refused, one each. */
  refusals?: { at: MailStep; code: number }[]
  /** Called when a mail is there, in place of the answer. */
  onTaken?: (cutConnection: () => void) => void
}

/** Starts a server that takes mail of anybody, without TLS unless it is given a certificate. */
export async function startMailServer({ refusals = [], onTaken, ...options }: MailServerOptions = {}) {
  const mails: MailServer['mails'] = []
  const sockets = new Set<{ destroy(): void }>()
  const refusal = (at: MailStep) => {
    if (refusals[0]?.at !== at) return undefined
    const { code = 0 } = refusals.shift() ?? {}
    return Object.assign(new Error('Testa Sample is not welcome'), { responseCode: code })
  }
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: options.cert === undefined ? ['STARTTLS'] : [],
    closeTimeout: 1,
    onConnect: (_session, done) => done(refusal('greeting')),
    onMailFrom: (_address, _session, done) => done(refusal('from')),
    onRcptTo: (_address, _session, done) => done(refusal('to')),
    onData(stream, { secure }, done) {
      let text = ''
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
      stream.on('end', () => {
        const refused = refusal('data')
        if (refused === undefined) mails.push({ text, isEncrypted: secure })
        if (onTaken === undefined) done(refused)
        else
          onTaken(() => {
            for (const socket of sockets) socket.destroy()
          })
      })
    },
    ...options,
  })
  server.on('error', () => {})
  server.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0)
  await once(server.server, 'listening')
  // A server that listens on a port has an address that is no path.
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    mails,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  } satisfies MailServer
}
