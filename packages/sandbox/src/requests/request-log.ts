import { pageOf, type PageQuery } from '../platform/page-of.ts'
import { codedRefusal } from '../platform/refusal.ts'

export interface LoggedBody {
  /** At most the first `maxBodyBytes`. */
  text: string
  /** Size of the whole body. */
  bytes: number
  /** Whether the text is complete, credentials apart. */
  isWhole: boolean
}

/** An answered or aborted request, without credentials. */
export interface LoggedRequest {
  /** Counts up as requests end. */
  id: number
  /** Start by the wall clock, ISO 8601. */
  at: string
  method: string
  /** With the query. */
  path: string
  /** The token's organization; absent without a valid token. */
  organization?: string
  /** Absent for a broken connection. */
  status?: number
  /** Error code of the answer. */
  code?: string
  durationMs: number
  contentType?: string
  /** Absent without a body, or if the sandbox did not read it. */
  body?: LoggedBody
  /** Body of the answer. */
  answer?: LoggedBody
}

export const statusClasses = ['2xx', '3xx', '4xx', '5xx', 'none'] as const

/** Selects requests that match all given fields. */
export interface RequestFilter {
  method?: string
  /** `none`: without an answer. */
  status?: (typeof statusClasses)[number]
  code?: string
  organization?: string
  /** Part of the path. */
  path?: string
}

/** Selects a page of the log, by default the newest first. */
export type RequestQuery = RequestFilter & PageQuery

export interface RequestPage {
  requests: LoggedRequest[]
  /** Null on the last page. */
  nextCursor: string | null
}

/** The newest requests, in memory. */
export interface RequestLog {
  add(request: Omit<LoggedRequest, 'id'>): void
  /** Throws `Refusal` 404 for an unknown or dropped one. */
  get(id: number): LoggedRequest
  page(query?: RequestQuery): RequestPage
  /** Deletes all; ids continue. */
  clear(): void
}

/** Longest text kept of a body. */
export const maxBodyBytes = 64 * 1024

/** Drops the oldest requests beyond `keep`, or beyond `keepBytes` of bodies. */
export function createRequestLog({ keep = 2_000, keepBytes = 16 * 1024 * 1024 } = {}): RequestLog {
  const requests = new Map<number, LoggedRequest>()
  let last = 0
  let bytes = 0

  function dropOldest(): void {
    const [oldest] = requests.values()
    if (oldest === undefined) return
    requests.delete(oldest.id)
    bytes -= sizeOf(oldest)
  }

  return {
    add: (request) => {
      const entry = { id: ++last, ...request }
      requests.set(entry.id, entry)
      bytes += sizeOf(entry)
      while (requests.size > keep || bytes > keepBytes) dropOldest()
    },
    get: (id) => {
      const request = requests.get(id)
      if (request !== undefined) return request
      throw codedRefusal(404, {
        title: 'Unknown request',
        description: `There is no request ${id}, or it is too old; list the requests to see the retained ones.`,
        code: 'unknown_request',
      })
    },
    page: ({ order = 'newest', limit, cursor, ...filter } = {}) => {
      const matching = [...requests.values()].filter((request) => matches(request, filter))
      const { page, nextCursor } = pageOf(matching, { order, limit, cursor })
      return { requests: page, nextCursor }
    },
    clear: () => {
      requests.clear()
      bytes = 0
    },
  }
}

const sizeOf = ({ path, body, answer }: LoggedRequest) =>
  path.length + (body?.text.length ?? 0) + (answer?.text.length ?? 0)

function matches(request: LoggedRequest, { method, status, code, organization, path }: RequestFilter): boolean {
  return (
    (method === undefined || request.method === method) &&
    (status === undefined || classOf(request.status) === status) &&
    (code === undefined || request.code === code) &&
    (organization === undefined || request.organization === organization) &&
    (path === undefined || request.path.includes(path))
  )
}

const classOf = (status: number | undefined) => (status === undefined ? 'none' : `${Math.floor(status / 100)}xx`)
