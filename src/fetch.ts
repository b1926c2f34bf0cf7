import { request } from 'undici'
import { systemCodeOf } from './errors.ts'

/** What pawl uses of `fetch`: that of the platform fits, and so does any stand-in. */
export type Fetch = (address: string, init: FetchInit) => Promise<FetchAnswer>

export interface FetchInit {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  headers: Record<string, string>
  body?: string | null
  /** A redirect is an answer like any other: what is sent goes nowhere else. */
  redirect: 'manual'
  signal: AbortSignal
}

/** Headers of an answer, by names in lower case. */
export type HeaderReader = Pick<Headers, 'get'>

export interface FetchAnswer {
  status: number
  headers: HeaderReader
  /** The whole body. Rejects where it is cut short. */
  text(): Promise<string>
}

/** As `fetch`, at half its cost: without streams, decompression and copies of headers (docs/performance.md). Rejects with the system's error itself, not with one around it. */
export const leanFetch: Fetch = async (address, { method, headers, body = null, signal }) => {
  const answer = await request(address, { method, headers, body, signal })
  return {
    status: answer.statusCode,
    headers: {
      get(name) {
        const value = answer.headers[name]
        return Array.isArray(value) ? value.join(', ') : (value ?? null)
      },
    },
    text: () => answer.body.text(),
  }
}

/** The system's name for why no answer came; the platform's `fetch` hides it in the cause of its own error. */
export function failureCodeOf(error: unknown): string | undefined {
  return systemCodeOf(error) ?? (error instanceof Error ? systemCodeOf(error.cause) : undefined)
}
