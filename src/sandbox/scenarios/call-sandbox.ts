import { z } from 'zod'

/** Calls an endpoint (with the token of the organization) or a control of a sandbox; resolves with the status and the JSON of the answer, whatever it is. */
export type CallSandbox = (method: string, path: string, body?: unknown) => Promise<Answer>

export interface Answer {
  status: number
  body: unknown
}

/** What a step asks for was refused; the message says how, and what is legal. */
export class StepRefused extends Error {
  override readonly name = 'StepRefused'
}

/** How long a call waits for its answer: longer than chaos keeps a slow one back. */
const patienceMs = 10_000

/** Creates the caller. `host` is the name by which the sandbox is known to whoever asked: files get addresses below it. Throws `StepRefused` where no whole answer comes. */
export function createCallSandbox(deps: {
  url: string
  token: string
  host: string | undefined
  timeoutMs?: number
}): CallSandbox {
  const { url, token, host, timeoutMs = patienceMs } = deps
  return async (method, path, body) => {
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(host !== undefined && { host }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await response.text()
      return { status: response.status, body: text === '' ? undefined : readJson(text) }
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError'
      const what = isLate ? `gave no answer within ${timeoutMs / 1000} s` : 'broke off before its answer was whole'
      throw new StepRefused(`${method} ${path} ${what}; chaos does that, and the work may be done or not`)
    }
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const Success = z.object({ data: z.unknown().optional() })

/** `data` of an answer; throws `StepRefused` for any answer that is no success. */
export function dataOf(answer: Answer): unknown {
  if (answer.status >= 300) throw new StepRefused(refusalText(answer))
  const parsed = Success.safeParse(answer.body)
  return parsed.success ? parsed.data.data : undefined
}

const Coded = z.object({ error: z.object({ code: z.string(), description: z.string() }) })
const Detail = z.object({ detail: z.string() })
const Faults = z.object({ detail: z.array(z.object({ loc: z.array(z.string()), msg: z.string() })) })

/** The error code of a refusal, where its shape has one. */
export function codeOf({ body }: Answer): string | undefined {
  const coded = Coded.safeParse(body)
  return coded.success ? coded.data.error.code : undefined
}

/** A refusal in one line: status, code, and what the answer says. */
export function refusalText({ status, body }: Answer): string {
  const coded = Coded.safeParse(body)
  if (coded.success) return `refused with ${status} ${coded.data.error.code}: ${coded.data.error.description}`
  const faults = Faults.safeParse(body)
  if (faults.success)
    return `refused with ${status}: ${faults.data.detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')}`
  const detail = Detail.safeParse(body)
  return `refused with ${status}${detail.success ? `: ${detail.data.detail}` : ''}`
}
