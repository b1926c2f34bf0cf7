import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLedger } from '../../src/ledger/create-ledger.ts'
import { openPostgres } from '../../src/ledger/postgres/open-postgres.ts'
import { createSeal } from '../../src/ledger/seal.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { describeLedger } from './ledger-contract.ts'

describeWithPostgres('with a real server', () => {
  let postgres: TestPostgres

  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())

  describeLedger('PostgreSQL', async () => {
    const url = await postgres.createDatabase()
    return {
      async open({ clock, seal }) {
        const storage = await openPostgres(url, () => {})
        // The contract moves time by hand.
        return createLedger({ storage: { ...storage, now: () => Promise.resolve(clock.now()) }, seal })
      },
      destroy: () => Promise.resolve(),
    }
  })

  it('gives up a connection that does not answer, and takes another', async () => {
    const network = await startNetwork(await postgres.createDatabase())
    const storage = await openPostgres(network.url, () => {}, 3_000)
    const ledger = createLedger({ storage, seal: createSeal([]) })
    const accept = (text: string) =>
      ledger.accept({
        resourceId: 'pa_req_1',
        kind: 'prior_authorization',
        eventType: 'prior_authorization.status_change',
        eventKey: undefined,
        body: Buffer.from(text),
        source: 'webhook',
      })
    await accept('{"n":1}')
    // As if the way to the server had changed: nobody hears of the connections that were.
    network.swallow()
    await expect(accept('{"n":2}')).rejects.toThrow('timeout')
    // The pool may hold more than one such connection.
    await until('it is stored', () => accept('{"n":3}').catch(() => undefined))
    await ledger.close()
    await network.close()
  })
})

/** A way to PostgreSQL that can stop carrying what goes over the connections of now. */
async function startNetwork(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const socket of [near, far]) sockets.add(socket.on('error', () => {}))
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  // A TCP server that listens has such an address.
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    swallow() {
      for (const socket of sockets) socket.unpipe().resume()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
