import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'

const TestNotice = z.looseObject({ type: z.literal('prescription_transfer.test') })

/** A notice, parsed leniently: a fork's own connector may send less than pawl's. */
export const ReadableNotice = z.looseObject({
  sequence: z.number().optional(),
  data: z.looseObject({
    prior_authorization_id: z.string(),
    status: z.string(),
    confirmed: z.boolean().nullish(),
    transfer_attempts: z.array(z.unknown()).optional(),
  }),
})

/** The pharmacy's last notice of one transfer. */
export interface TransferAtPharmacy {
  status: string
  confirmed: boolean
  attempts: number
}

/** A pharmacy's system: accepts signed notices of transfers and stores the last of each. */
export interface PharmacyDesk {
  url: string
  transfers: ReadonlyMap<string, TransferAtPharmacy>
  /** Notices refused for an invalid signature. */
  readonly refused: number
  /** Answers every request with 503 until told otherwise. */
  setDown(down: boolean): void
  close(): Promise<void>
}

/** Starts the pharmacy on a port (default: a free one); rejects if it is taken. Every notice must carry a valid Standard Webhooks signature. */
export async function startPharmacyDesk(secret: string, port = 0): Promise<PharmacyDesk> {
  const verifier = new Webhook(secret)
  const transfers = new Map<string, TransferAtPharmacy>()
  const seen = new Set<string>()
  let refused = 0
  let isDown = false

  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await buffer(req)
    if (isDown) return void res.writeHead(503).end()
    const header = (name: string) => String(req.headers[name] ?? '')
    const id = header('webhook-id')
    try {
      const signed = {
        'webhook-id': id,
        'webhook-timestamp': header('webhook-timestamp'),
        'webhook-signature': header('webhook-signature'),
      }
      const verified = verifier.verify(body, signed)
      // A test notice only gets an answer.
      if (TestNotice.safeParse(verified).success) return void res.writeHead(204).end()
      const { data } = ReadableNotice.parse(verified)
      if (!seen.has(id)) {
        const { status, confirmed, transfer_attempts: attempts = [] } = data
        transfers.set(data.prior_authorization_id, { status, confirmed: confirmed ?? false, attempts: attempts.length })
      }
      seen.add(id)
      res.writeHead(204).end()
    } catch {
      refused += 1
      res.writeHead(401).end()
    }
  }

  const server = createServer((req, res) => void receive(req, res))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: boundPort } = server.address() as AddressInfo // A listening TCP server has an address of this type.
  return {
    url: `http://127.0.0.1:${boundPort}/transfers`,
    transfers,
    get refused() {
      return refused
    },
    setDown: (down) => void (isDown = down),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
