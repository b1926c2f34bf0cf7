import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/** Statements sent to a PostgreSQL. */
export interface Statements {
  statements: number
  /** How often a client went on after an answer. */
  roundTrips: number
}

/** Answers are late by this much, in milliseconds: a client that needs none yet has sent all it has by then. */
const latencyMs = 3

/** Stands between clients and a PostgreSQL, and counts what that answers. */
export async function startStatementCounter(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl)
  const counted: Statements = { statements: 0, roundTrips: 0 }
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    const count = answerCounter(counted)
    let isAnswered = true
    near.setNoDelay(true).on('error', () => far.destroy())
    far.setNoDelay(true).on('error', () => near.destroy())
    near
      .on('close', () => far.destroy())
      .on('data', (chunk: Buffer) => {
        if (isAnswered) counted.roundTrips += 1
        isAnswered = false
        far.write(chunk)
      })
    far
      .on('close', () => near.destroy())
      .on('data', (chunk: Buffer) => {
        count(chunk)
        setTimeout(() => {
          isAnswered = true
          near.write(chunk)
        }, latencyMs)
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port) // a TCP server that listens
  return {
    /** The database, by way of this counter. */
    url: url.href,
    read: (): Statements => ({ ...counted }),
    close: () => void server.close(),
  }
}

/** Counts the statements that one connection answers, whose chunks it gets (PostgreSQL, Message Formats): `C` ends one. */
export function answerCounter(counted: Pick<Statements, 'statements'>): (chunk: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0)
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    let at = 0
    while (pending.length >= at + 5) {
      const end = at + 1 + pending.readUInt32BE(at + 1)
      if (end > pending.length) break
      const type = String.fromCharCode(pending[at] ?? 0)
      if (type === 'C') counted.statements += 1
      at = end
    }
    pending = pending.subarray(at)
  }
}
