import { failureCodeOf, type Fetch } from '@pawl/base/net/fetch'
import { maxShortAnswerBytes } from '@pawl/base/net/read-bounded'
import { sendTimeoutMs, type TargetAnswer } from './target.ts'

/** Posts JSON to an address from the settings, without following redirects. Never rejects, and never quotes the answer. */
export async function post(
  fetch: Fetch,
  address: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<TargetAnswer> {
  const signal = AbortSignal.timeout(sendTimeoutMs)
  try {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'manual',
      maxBytes: maxShortAnswerBytes,
      signal,
    })
    await answer.text()
    const said = `http_${answer.status}`
    return answer.status >= 200 && answer.status < 300 ? { ok: true, said } : { ok: false, code: said }
  } catch (error) {
    return { ok: false, code: signal.aborted ? 'timeout' : (failureCodeOf(error) ?? 'no_connection') }
  }
}
