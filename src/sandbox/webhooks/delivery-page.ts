import type { Delivery } from './delivery.ts'
import type { DeliveryFilter, DeliveryLog } from './delivery-log.ts'

/** One page of the deliveries that match a filter. */
export interface DeliveryPage {
  deliveries: Delivery[]
  /** Start of the next page; null on the last. In order `oldest`, new deliveries appear on later pages. */
  nextCursor: string | null
}

/** Selects a page. */
export interface DeliveryQuery extends DeliveryFilter {
  /** Sort order. Default: `oldest` first. */
  order?: 'oldest' | 'newest'
  /** Default 100. */
  limit?: number
  /** `nextCursor` of an earlier page. */
  cursor?: string
}

/** Reads one page of the log. A cursor stays valid while the log grows and drops its oldest entries. */
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
