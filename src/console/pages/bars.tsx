import { type Column, Table } from '../../base/pages/table.tsx'

/** One bar: its name, length, and the label at its end. */
export interface Bar {
  name: string
  value: number
  text: string
}

interface BarsProps<Row> {
  /** Text alternative of the chart. */
  label: string
  bars: readonly Bar[]
  table: { caption: string; columns: readonly Column<Row>[]; rows: readonly Row[] }
  /** Text in place of chart and table without data. */
  empty: string
}

/** The texts keep clear of each other at the largest size of the style. */
const size = { width: 600, row: 48, left: 2, right: 160 }
/** Max bars in the chart; the table has all. */
const maxBars = 8
/** Max letters above a bar. */
const maxLetters = 40

/** Horizontal bars, beside a table with all numbers. */
export function Bars<Row>({ label, bars, table, empty }: BarsProps<Row>) {
  if (table.rows.length === 0) return <p class="faint">{empty}</p>
  const drawn = bars.slice(0, maxBars)
  const top = Math.max(...drawn.map(({ value }) => value), 0)
  const height = drawn.length * size.row + 8
  const plotWidth = size.width - size.left - size.right
  return (
    <div class="chart">
      <figure>
        <svg viewBox={`0 0 ${size.width} ${height}`} role="img" aria-label={label}>
          <line class="axis" x1={size.left} x2={size.left} y1={4} y2={height - 4} />
          {drawn.map(({ name, value, text }, index) => {
            const y = index * size.row + 8
            const width = top === 0 ? 0 : (value / top) * plotWidth
            return (
              <g key={name}>
                <text x={size.left} y={y + 14}>
                  {name.length > maxLetters ? `${name.slice(0, maxLetters - 1)}…` : name}
                </text>
                <rect class="share" x={size.left} y={y + 21} width={width} height={18} />
                <text x={size.left + width + 6} y={y + 37}>
                  {text}
                </text>
              </g>
            )
          })}
        </svg>
      </figure>
      <Table empty="" isTall {...table} />
    </div>
  )
}
