import type { Delivery } from './delivery.ts'
import type { DeliveryFilter, DeliveryLog } from './delivery-log.ts'

/** Some of the deliveries that a filter lets through. */
export interface DeliveryPage {
  deliveries: Delivery[]
  /** Where the next page begins; null on the last one. Deliveries that come later are on later pages of the order `oldest`. */
  nextCursor: string | null
}

/** Which page is meant. */
export interface DeliveryQuery extends DeliveryFilter {
  /** Which ones come first. Default: the oldest. */
  order?: 'oldest' | 'newest'
  /** Default 100. */
  limit?: number
  /** That of an earlier page. */
  cursor?: string
}

/** Reads one page of the log. A cursor stays good while the log grows and drops its oldest. */
export function readDeliveryPage(log: Pick<DeliveryLog, 'list'>, query: DeliveryQuery): DeliveryPage {
  const { order = 'oldest', limit = 100, cursor, ...filter } = query
  const all = log.list(filter)
  const ordered = order === 'oldest' ? all : all.toReversed()
  const after = Number(cursor)
  const rest =
    cursor === undefined ? ordered : ordered.filter(({ id }) => (order === 'oldest' ? id > after : id < after))
  const deliveries = rest.slice(0, limit)
  const last = deliveries.at(-1)
  return { deliveries, nextCursor: last === undefined || rest.length <= limit ? null : String(last.id) }
}
