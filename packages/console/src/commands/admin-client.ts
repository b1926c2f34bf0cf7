import { ErrorAnswer, actorHeader, type Route, type Sent } from '../contract/route.ts'
import type { z } from 'zod'
import { PawlError } from '@pawl/base/errors'

/** The running pawl is unreachable or refused the request. */
export class AdminRequestFailed extends PawlError {
  readonly code = 'admin_request_failed'
}

/** The parts a route may take. */
type AnySent = { id?: string; query?: Readonly<Record<string, string | number | undefined>>; body?: unknown }

/** Calls a route of the contract at the admin listener of a running pawl. Throws `AdminRequestFailed`, and the errors of reading the settings. */
export type AskAdmin = <R extends Route>(
  route: R,
  ...sent: object extends Sent<R> ? [sent?: AnySent & Sent<R>] : [sent: AnySent & Sent<R>]
) => Promise<z.output<R['answer']>>

/** Address of the admin listener, and the credentials for it. */
export interface AdminAddress {
  url: string
  /** Absent: unnamed, with the shared password. */
  user?: string | undefined
  password: string | undefined
}

/** Makes a client of the admin listener; `readAddress` is called at the first request, since some commands make none. `actorName` is recorded in the audit trail. */
export function createAdminClient(readAddress: () => AdminAddress, actorName?: string): AskAdmin {
  return async ({ method, path, answer }, sent: AnySent = {}) => {
    const { url, user = 'pawl', password } = readAddress()
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (actorName !== undefined) headers[actorHeader] = actorName
    if (password !== undefined) headers.authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
    const init = method === 'get' ? { headers } : { method: 'POST', headers, body: JSON.stringify(sent.body ?? {}) }
    const response = await answerTo(fetch(addressOf(path, sent, url), init)).catch(() => {
      throw new AdminRequestFailed(
        `No pawl answers at ${url}: is it running, and are ADMIN_HOST and ADMIN_PORT the same here as there?`,
      )
    })
    if (response.status === 401)
      throw new AdminRequestFailed(
        `The admin listener at ${url} refused: set ADMIN_PASSWORD to the password of the running pawl, or ADMIN_USER and ADMIN_PASSWORD to your own.`,
      )
    const json: unknown = await response.json().catch(() => undefined)
    if (!response.ok) {
      throw new AdminRequestFailed(
        ErrorAnswer.safeParse(json).data?.error.message ?? `The admin listener answered ${response.status}.`,
      )
    }
    const { data } = answer.safeParse(json)
    if (data === undefined)
      throw new AdminRequestFailed(
        `The server at ${url} is not this pawl's admin listener: see ADMIN_HOST and ADMIN_PORT.`,
      )
    // The compiler cannot see that the response schema is the one of this route.
    return data as never
  }
}

function addressOf(path: string, { id = '', query = {} }: AnySent, base: string): URL {
  const address = new URL(
    path.replace(':id', () => encodeURIComponent(id)),
    base,
  )
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) address.searchParams.set(name, String(value))
  return address
}

/** Rejects once no response can come any more: `fetch` of Node.js 20 hangs on a POST whose connection is closed at once. */
async function answerTo(sent: Promise<Response>): Promise<Response> {
  let giveUp = () => {}
  const isOver = new Promise<never>((_, reject) => {
    giveUp = () => reject(new Error('the connection was closed without a response'))
  })
  process.once('beforeExit', giveUp)
  try {
    return await Promise.race([sent, isOver])
  } finally {
    process.off('beforeExit', giveUp)
  }
}
