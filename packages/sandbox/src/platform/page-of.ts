/** Selects a page of a log. */
export interface PageQuery {
  order?: 'newest' | 'oldest' | undefined
  /** Default 100. */
  limit?: number | undefined
  /** `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** One page of a log whose rows come oldest first, and the id of its last row unless it is the last page. A cursor stays valid while the log grows and drops its oldest rows. */
export function pageOf<Row extends { id: number }>(
  rows: readonly Row[],
  { order, limit = 100, cursor }: PageQuery & { order: 'newest' | 'oldest' },
): { page: Row[]; nextCursor: string | null } {
  const ordered = order === 'oldest' ? rows : rows.toReversed()
  const after = Number(cursor)
  const rest =
    cursor === undefined ? ordered : ordered.filter(({ id }) => (order === 'oldest' ? id > after : id < after))
  const page = rest.slice(0, limit)
  return { page, nextCursor: rest.length > limit ? String(page.at(-1)?.id) : null }
}
