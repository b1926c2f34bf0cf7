import { defineHandler, type HandlerContext } from '../../../src/index.ts'

export const on = ['prior_authorization.status_change', 'prior_authorization.message'] as const
export type Context = HandlerContext<(typeof on)[number]>

/** A handler of one's own. */
export const own = (name: string, handle: (context: Context) => Promise<void>) => defineHandler({ name, on, handle })

/** Beside the shipped handlers. */
export const beside = (handle: (context: Context) => Promise<void>) => own('own-handler', handle)

/** An own system. */
export const hook = 'https://chat.example/hook'

/** Sends a request to an own system, and resolves with its answer, which may refuse. `key`: of idempotency. */
export async function send(
  method: 'GET' | 'POST' | 'PUT',
  address: string,
  body?: object,
  key?: string,
): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) }
  const answer = await fetch(address, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  await answer.arrayBuffer()
  return answer
}

/** Sends a change to an own system; throws where it is refused. */
export async function tell(method: 'POST' | 'PUT', address: string, body: object, key?: string): Promise<void> {
  const answer = await send(method, address, body, key)
  if (!answer.ok) throw new Error('It was refused.')
}
