import { startDeadline } from '@pawl/base/net/deadline'
import { failureCodeOf, type Fetch, type FetchAnswer, type HeaderReader, isUnreached } from '@pawl/base/net/fetch'
import { addressOf, type ApiRequest } from './request.ts'

/** The result of sending a request once: an answer, a cut answer, or none. `sent`: the service may have seen the request. */
export type Reply =
  | { kind: 'answered'; status: number; headers: HeaderReader; text: string }
  | { kind: 'cut'; status: number; headers: HeaderReader }
  | { kind: 'failed'; reason: string; sent: boolean }

/** Sends a request once; `timeoutMs` covers connecting, the answer and its body. Throws only RequestInvalid, for an id that cannot be sent. */
export async function sendOnce(
  request: ApiRequest,
  deps: { fetch: Fetch; baseUrl: string; token: string; timeoutMs: number },
): Promise<Reply> {
  const address = addressOf(deps.baseUrl, request)
  const signal = request.options?.signal
  const isAborted = () => signal?.aborted === true
  if (isAborted()) return { kind: 'failed', reason: 'aborted', sent: false }
  const deadline = startDeadline(signal, deps.timeoutMs)
  let response: FetchAnswer | undefined
  try {
    response = await deps.fetch(address, {
      method: request.method,
      headers: headersOf(request, deps.token),
      body: request.body === undefined ? null : JSON.stringify(request.body),
      redirect: 'manual', // the token and the patient's data go nowhere else
      signal: deadline.signal,
    })
    return { kind: 'answered', status: response.status, headers: response.headers, text: await response.text() }
  } catch (error) {
    if (deadline.isOver()) return { kind: 'failed', reason: 'timeout', sent: true }
    if (isAborted()) return { kind: 'failed', reason: 'aborted', sent: true }
    if (response !== undefined) return { kind: 'cut', status: response.status, headers: response.headers }
    return { kind: 'failed', reason: failureCodeOf(error) ?? 'network', sent: !isUnreached(error) }
  } finally {
    deadline.end()
  }
}

function headersOf(request: ApiRequest, token: string): Record<string, string> {
  return {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    'user-agent': 'pawl',
    ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
  }
}
