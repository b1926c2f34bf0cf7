import { Router } from 'express'
import { z } from 'zod'
import { sendHtml } from '@pawl/base/pages/send-html'
import type { Controls } from '../../controls.ts'
import { baseOf } from '../../files/signed-files.ts'
import { compact } from '../../platform/wire.ts'
import { curlOf } from '../../requests/curl.ts'
import { statusClasses } from '../../requests/request-log.ts'
import { queryOf, Word } from '@pawl/base/pages/query'
import { RequestPage } from './request-page.tsx'
import { requestsAddress, RequestsPage } from './requests-page.tsx'

const pageSize = 50

// Forms send omitted fields as empty.
const RequestsQuery = z.object({
  status: z.enum(statusClasses).optional().catch(undefined),
  method: Word,
  path: Word,
  code: Word,
  organization: Word,
  after: z.string().regex(/^\d+$/).optional().catch(undefined),
})

/** Pages of the request log and of one request. */
export function requestRoutes({ controls }: { controls: Pick<Controls, 'request' | 'requestPage'> }): Router {
  const router = Router()

  router.get('/pages/requests', (req, res) => {
    const { after, ...filter } = RequestsQuery.parse(req.query)
    const { requests, nextCursor } = controls.requestPage(compact({ ...filter, limit: pageSize, cursor: after }))
    const addressAfter = (cursor?: string) => `${requestsAddress}${queryOf({ ...filter, after: cursor })}`
    sendHtml(
      res,
      <RequestsPage
        filter={compact(filter)}
        requests={requests}
        next={nextCursor === null ? undefined : addressAfter(nextCursor)}
        address={addressAfter(after)}
      />,
    )
  })

  router.get('/pages/requests/:id', (req, res) => {
    const request = controls.request(Number(req.params.id))
    sendHtml(res, <RequestPage request={request} curl={curlOf(request, baseOf(req))} />)
  })

  return router
}
