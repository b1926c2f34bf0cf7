import { Router } from 'express'
import { z } from 'zod'
import { sendHtml } from '@pawl/base/pages/send-html'
import type { Controls } from '../../controls.ts'
import { compact } from '../../platform/wire.ts'
import { deliveryStates } from '../../webhooks/delivery.ts'
import { queryOf, Word } from '@pawl/base/pages/query'
import { DeliveriesPage } from './deliveries-page.tsx'
import { DeliveryPage } from './delivery-page.tsx'
import { addressOfDelivery } from './delivery-table.tsx'

const pageSize = 50

// Forms send omitted fields as empty.
const DeliveriesQuery = z.object({
  type: Word,
  state: z.enum(deliveryStates).optional().catch(undefined),
  resource: Word,
  after: z.string().regex(/^\d+$/).optional().catch(undefined),
})

const RepeatQuery = z.object({ again: z.literal('yes').optional().catch(undefined) })

/** Pages of the delivery log and of one delivery, and its redelivery. */
export function deliveryRoutes({ controls }: { controls: Controls }): Router {
  const router = Router()

  router.get('/pages/deliveries', (req, res) => {
    const { after, ...filter } = DeliveriesQuery.parse(req.query)
    const { type: eventType, state, resource: resourceId } = filter
    const page = controls.deliveryPage(
      compact({ eventType, state, resourceId, order: 'newest' as const, limit: pageSize, cursor: after }),
    )
    const addressAfter = (cursor?: string) => `/_sandbox/pages/deliveries${queryOf({ ...filter, after: cursor })}`
    sendHtml(
      res,
      <DeliveriesPage
        filter={filter}
        deliveries={page.deliveries}
        next={page.nextCursor === null ? undefined : addressAfter(page.nextCursor)}
        address={addressAfter(after)}
      />,
    )
  })

  router.get('/pages/deliveries/:id', (req, res) => {
    const { again } = RepeatQuery.parse(req.query)
    sendHtml(res, <DeliveryPage delivery={controls.delivery(Number(req.params.id))} isRepeat={again !== undefined} />)
  })

  router.post('/pages/deliveries/:id/redeliver', (req, res) => {
    res.redirect(303, `${addressOfDelivery(controls.redeliver(Number(req.params.id)))}?again=yes`)
  })

  return router
}
