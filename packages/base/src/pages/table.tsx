import type { ComponentChildren } from 'preact'

/** One column: its heading, and its cell for a row. */
export interface Column<Row> {
  name: string
  kind?: 'number' | 'id' | 'wide'
  /** Shown on a phone, where such a table has one line a row; three at the most. All are of a table of two columns. `below`: in whole, on a line of its own. */
  isBrief?: true | 'below'
  show: (row: Row) => ComponentChildren
}

interface TableProps<Row> {
  /** Title of the table, in place of a heading above it; also names the scrollable region. */
  caption: string
  /** Order, limits or source of the rows, beneath the title. */
  note?: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** Text to show if there are no rows; absent: nothing is shown. */
  empty?: string
  /** Limits the height to that of a chart beside it. */
  isTall?: boolean
  /** Whether a heading above it names it already. */
  isNamedAbove?: boolean
}

/** A table that also scrolls by keyboard. On a phone, each row is a card whose cells carry their column names, or, with brief columns, a line of these that opens to the others; ARIA roles keep it a table for screen readers. */
export function Table<Row>({
  caption,
  note,
  columns,
  rows,
  empty,
  isTall = false,
  isNamedAbove = false,
}: TableProps<Row>) {
  if (rows.length === 0) return empty === undefined ? null : <p class="faint">{empty}</p>
  const isBrief = (column: Column<Row>) => columns.length <= 2 || column.isBrief
  const hasLines = columns.some(isBrief)
  const hasMore = hasLines && !columns.every(isBrief)
  return (
    <div
      class={`scroll${isTall ? ' tall' : ''}${isNamedAbove ? ' named-above' : ''}${hasLines ? ' lines' : ''}`}
      role="region"
      aria-label={caption}
      tabIndex={0}
    >
      <table role="table">
        <caption>
          {caption}
          {note !== undefined && <span class="note-of">{note}</span>}
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ name, kind }) => (
              <th key={name} scope="col" role="columnheader" class={kind}>
                {name}
              </th>
            ))}
            {hasMore && (
              <th scope="col" role="columnheader" class="more">
                More
              </th>
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, index) => (
            <tr key={index} role="row">
              {columns.map((column) => (
                <td
                  key={column.name}
                  role="cell"
                  class={
                    [column.kind, isBrief(column) && 'brief', column.isBrief === 'below' && 'below']
                      .filter(Boolean)
                      .join(' ') || undefined
                  }
                  data-name={column.name}
                >
                  <div>{column.show(row)}</div>
                </td>
              ))}
              {hasMore && (
                <td role="cell" class="more">
                  <details>
                    <summary aria-label="More of this row" />
                  </details>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
