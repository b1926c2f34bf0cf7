import { z } from 'zod'
import { PawlError } from '../errors.ts'

/** The running gateway could not be asked, or refused. */
export class AdminRequestFailed extends PawlError {
  readonly code = 'admin_request_failed'
}

const Refusal = z.looseObject({ error: z.looseObject({ message: z.string().optional() }) })

/** Asks the admin listener of a running gateway. Throws `AdminRequestFailed`. */
export async function askAdmin<T extends z.ZodType>(
  { url, password }: { url: string; password: string | undefined },
  path: string,
  schema: T,
  body?: unknown,
): Promise<z.infer<T>> {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (password !== undefined) headers.authorization = `Basic ${Buffer.from(`pawl:${password}`).toString('base64')}`
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
  const answer = await fetch(new URL(path, url), init).catch(() => {
    throw new AdminRequestFailed(
      `No pawl answers at ${url}: is it running, and are ADMIN_HOST and ADMIN_PORT the same here as there?`,
    )
  })
  if (answer.status === 401)
    throw new AdminRequestFailed(
      `The admin listener at ${url} refused: set ADMIN_PASSWORD to the password that the running pawl has.`,
    )
  const json: unknown = await answer.json().catch(() => undefined)
  if (!answer.ok) {
    throw new AdminRequestFailed(
      Refusal.safeParse(json).data?.error.message ?? `The admin listener answered ${answer.status}.`,
    )
  }
  const { data } = schema.safeParse(json)
  if (data === undefined)
    throw new AdminRequestFailed(
      `What answers at ${url} is not this pawl's admin listener: see ADMIN_HOST and ADMIN_PORT.`,
    )
  return data
}
