import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/** Statements sent to a PostgreSQL. */
export interface Statements {
  statements: number
  /** How often a client waited for an answer. */
  roundTrips: number
}

/** Stands between clients and a PostgreSQL, and counts what that answers. */
export async function startStatementCounter(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl)
  const counted: Statements = { statements: 0, roundTrips: 0 }
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    const count = answerCounter(counted)
    near.setNoDelay(true).on('error', () => far.destroy())
    far.setNoDelay(true).on('error', () => near.destroy())
    near.pipe(far)
    far.on('data', count).pipe(near)
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

/** Counts the messages of one connection, whose chunks it gets (PostgreSQL, Message Formats): `C` ends a statement, `Z` an answer. */
export function answerCounter(counted: Statements): (chunk: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0)
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    let at = 0
    while (pending.length >= at + 5) {
      const end = at + 1 + pending.readUInt32BE(at + 1)
      if (end > pending.length) break
      const type = String.fromCharCode(pending[at] ?? 0)
      if (type === 'C') counted.statements += 1
      if (type === 'Z') counted.roundTrips += 1
      at = end
    }
    pending = pending.subarray(at)
  }
}
