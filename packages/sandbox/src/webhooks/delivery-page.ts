import { pageOf, type PageQuery } from '../platform/page-of.ts'
import type { Delivery } from './delivery.ts'
import type { DeliveryFilter, DeliveryLog } from './delivery-log.ts'

/** One page of the deliveries that match a filter. */
export interface DeliveryPage {
  deliveries: Delivery[]
  /** Start of the next page; null on the last. In order `oldest`, new deliveries appear on later pages. */
  nextCursor: string | null
}

/** Selects a page, by default the oldest first. */
export type DeliveryQuery = DeliveryFilter & PageQuery

/** Reads one page of the log. */
export function readDeliveryPage(log: Pick<DeliveryLog, 'list'>, query: DeliveryQuery): DeliveryPage {
  const { order = 'oldest', limit, cursor, ...filter } = query
  const { page, nextCursor } = pageOf(log.list(filter), { order, limit, cursor })
  return { deliveries: page, nextCursor }
}
