import type { ComponentChildren } from 'preact'

/** One column: its heading, and its cell for a row. */
export interface Column<Row> {
  name: string
  kind?: 'number' | 'id' | 'wide'
  show: (row: Row) => ComponentChildren
}

interface TableProps<Row> {
  /** Title of the table; also names the scrollable region. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** Text shown without rows. */
  empty: string
  /** Limits the height to that of a chart beside it. */
  isTall?: boolean
}

/** A table that scrolls on narrow screens, also by keyboard. */
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
