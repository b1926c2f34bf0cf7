import type { VitalsReading } from '../vitals.ts'
import { Table } from '../../base/pages/table.tsx'
import { count } from '../../base/pages/words.tsx'

type Minute = VitalsReading['minutes'][number]

const series = ['stored', 'duplicate', 'refused'] as const
const names = { stored: 'stored', duplicate: 'duplicates', refused: 'refused or unavailable' } as const

const size = { width: 600, height: 180, left: 60, right: 6, top: 12, bottom: 22 }
const plotHeight = size.height - size.top - size.bottom
const plotWidth = size.width - size.left - size.right

/** Deliveries of the last hour as bars, one per minute, beside a table of the numbers. */
export function DeliveriesChart({ minutes }: { minutes: readonly Minute[] }) {
  const sumOf = (minute: Minute) => series.reduce((sum, name) => sum + minute[name], 0)
  const top = Math.max(1, ...minutes.map(sumOf))
  const total = minutes.reduce((sum, minute) => sum + sumOf(minute), 0)
  const step = plotWidth / minutes.length
  return (
    <div class="chart">
      <figure>
        <svg
          viewBox={`0 0 ${size.width} ${size.height}`}
          role="img"
          aria-label={`Deliveries per minute of the last hour: ${total} in all, ${top} in the busiest minute.`}
        >
          <line class="axis" x1={size.left} x2={size.width - size.right} y1={bottom} y2={bottom} />
          <text x={size.left - 6} y={size.top + 6} text-anchor="end">
            {count(top)}
          </text>
          <text x={size.left - 6} y={bottom} text-anchor="end">
            0
          </text>
          <text x={size.left} y={size.height - 6}>
            an hour ago
          </text>
          <text x={size.width - size.right} y={size.height - 6} text-anchor="end">
            now
          </text>
          {minutes.flatMap((minute, index) => bars(minute, size.left + index * step, step, top))}
        </svg>
        <ul class="legend">
          {series.map((name) => (
            <li key={name}>
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <rect class={name} width="10" height="10" />
              </svg>
              {names[name]}
            </li>
          ))}
        </ul>
      </figure>
      <Table
        caption="Deliveries per minute"
        isTall
        rows={minutes.toReversed()}
        empty=""
        columns={[
          { name: 'Minute (UTC)', show: ({ at }) => new Date(at).toISOString().slice(11, 16) },
          { name: 'Stored', kind: 'number', show: ({ stored }) => count(stored) },
          { name: 'Dupl.', kind: 'number', show: ({ duplicate }) => count(duplicate) },
          { name: 'Not taken', kind: 'number', show: ({ refused }) => count(refused) },
        ]}
      />
    </div>
  )
}

const bottom = size.top + plotHeight

function bars(minute: Minute, x: number, step: number, top: number) {
  let y = bottom
  return series.flatMap((name) => {
    const height = (minute[name] / top) * plotHeight
    if (height === 0) return []
    y -= height
    return <rect key={`${minute.at} ${name}`} class={name} x={x + 1} y={y} width={step - 2} height={height} />
  })
}
