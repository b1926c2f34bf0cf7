import { z } from 'zod'

/** Calls an endpoint (with the organization's token) or a control of a sandbox; resolves with status and JSON of any answer. */
export type CallSandbox = (method: string, path: string, body?: unknown) => Promise<SandboxAnswer>

export interface SandboxAnswer {
  status: number
  body: unknown
}

/** The sandbox refused a step; the message holds its reason and the legal values. */
export class StepRefused extends Error {
  override readonly name = 'StepRefused'
}

/** Timeout of a call, longer than the delays of chaos. */
const patienceMs = 10_000

/** `host` is the sandbox's host name as the client knows it; file URLs begin with it. Calls throw `StepRefused` without a complete answer. */
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
      const what = isLate ? `gave no answer within ${timeoutMs / 1000} s` : 'broke off in the middle of its answer'
      throw new StepRefused(`${method} ${path} ${what}; chaos does that, and the request may have taken effect`)
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

/** `data` of a successful answer; throws `StepRefused` for any other. */
export function dataOf(answer: SandboxAnswer): unknown {
  if (answer.status >= 300) throw new StepRefused(refusalText(answer))
  const parsed = Success.safeParse(answer.body)
  return parsed.success ? parsed.data.data : undefined
}

const Coded = z.object({ error: z.object({ code: z.string(), description: z.string() }) })
const Detail = z.object({ detail: z.string() })
const Faults = z.object({ detail: z.array(z.object({ loc: z.array(z.string()), msg: z.string() })) })

/** The error code of a refusal, if its shape has one. */
export function codeOf({ body }: SandboxAnswer): string | undefined {
  const coded = Coded.safeParse(body)
  return coded.success ? coded.data.error.code : undefined
}

/** Formats a refusal as one line: status, code and description. */
export function refusalText({ status, body }: SandboxAnswer): string {
  const coded = Coded.safeParse(body)
  if (coded.success) return `refused with ${status} ${coded.data.error.code}: ${coded.data.error.description}`
  const faults = Faults.safeParse(body)
  if (faults.success)
    return `refused with ${status}: ${faults.data.detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')}`
  const detail = Detail.safeParse(body)
  return `refused with ${status}${detail.success ? `: ${detail.data.detail}` : ''}`
}
