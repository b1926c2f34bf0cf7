import { z } from 'zod'
import { success } from '../platform/answer.ts'
import { control, type Control } from '../platform/control.ts'
import { compact } from '../platform/wire.ts'
import { curlOf } from './curl.ts'
import {
  type LoggedRequest,
  type RequestLog,
  type RequestPage,
  type RequestQuery,
  statusClasses,
} from './request-log.ts'

/** Controls over the request log. */
export interface RequestControls {
  /** One page of the request log. */
  requestPage(query?: RequestQuery): RequestPage
  /** One request with its body and answer; throws `Refusal` for an unknown one. */
  request(id: number): LoggedRequest
}

export function requestControls(log: RequestLog): RequestControls {
  return { requestPage: log.page, request: log.get }
}

const text = z.string().min(1)

const PageRequest = z.strictObject({
  method: text.optional(),
  status: z.enum(statusClasses).optional(),
  code: text.optional(),
  organization: text.optional(),
  path: text.optional(),
  order: z.enum(['newest', 'oldest']).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).optional(),
  cursor: z.string().regex(/^\d+$/, 'must be the id of a request').optional(),
})

export const requestControlRoutes = (controls: RequestControls): Control[] => [
  control('GET /requests', { summary: 'List requests, without bodies', query: PageRequest }, ({ query, res }) => {
    const { requests, nextCursor } = controls.requestPage(compact(query))
    const listed = requests.map(({ body: _body, answer: _answer, ...request }) => request)
    res.json({ ...success(listed), next_cursor: nextCursor })
  }),
  control('GET /requests/:id', { summary: 'Show a request with its body, answer and curl command' }, ({ id, req }) => {
    const request = controls.request(Number(id))
    return { ...request, curl: curlOf(request, `${req.protocol}://${req.get('host') ?? ''}`) }
  }),
]
