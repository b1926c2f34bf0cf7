import { z } from 'zod'
import { parseJson } from '@pawl/base/parse-json'
import { CodedBody, errorText } from 'pawl-client/schemas/documented-errors'

/** Calls an endpoint (with the organization's token) or a control. Resolves with the status of any answer, and its JSON if it is JSON. */
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
      return { status: response.status, body: parseJson(await response.text()) }
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError'
      const what = isLate ? `gave no answer within ${timeoutMs / 1000} s` : 'broke off in the middle of its answer'
      throw new StepRefused(`${method} ${path} ${what}; chaos does that, and the request may have taken effect`)
    }
  }
}

const Success = z.object({ data: z.unknown().optional() })

/** `data` of a successful answer; throws `StepRefused` for any other. */
export function dataOf(answer: SandboxAnswer): unknown {
  if (answer.status >= 300) throw new StepRefused(refusalText(answer))
  const parsed = Success.safeParse(answer.body)
  return parsed.success ? parsed.data.data : undefined
}

/** The error code of a refusal, if its shape has one. */
export function codeOf({ body }: SandboxAnswer): string | undefined {
  return CodedBody.safeParse(body).data?.error.code
}

/** Formats a refusal as one line: status, code and description. */
export function refusalText(answer: SandboxAnswer): string {
  const [code, words] = [codeOf(answer), errorText(answer.body)]
  return `refused with ${answer.status}${code === undefined ? '' : ` ${code}`}${words === undefined ? '' : `: ${words}`}`
}
