import type { ComponentChildren } from 'preact'

/** One column: its heading, and what it shows of a row. */
export interface Column<Row> {
  name: string
  kind?: 'number' | 'id' | 'wide'
  show: (row: Row) => ComponentChildren
}

interface TableProps<Row> {
  /** Says what the table is about; also names the region that can be scrolled. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** What stands there where there are no rows. */
  empty: string
  /** No higher than a chart beside it. */
  isTall?: boolean
}

/** A table that scrolls by itself where the screen is narrow, by keyboard too. */
export function Table<Row>({ caption, columns, rows, empty, isTall = false }: TableProps<Row>) {
  if (rows.length === 0) return <p class="faint">{empty}</p>
  return (
    <div class={isTall ? 'scroll tall' : 'scroll'} role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, kind }) => (
              <th key={name} scope="col" class={kind}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map(({ name, kind, show }) => (
                <td key={name} class={kind}>
                  {show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
