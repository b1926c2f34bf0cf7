import { count } from '@pawl/base/pages/words'

/** One colour of the bars. */
export interface Series<Step> {
  name: string
  tone: 'stored' | 'duplicate' | 'refused'
  valueOf: (step: Step) => number
}

interface StackedBarsProps<Step> {
  /** Heading of the chart, unless a heading of the page names it. */
  title?: string
  /** Text alternative of the chart, from the highest and the last bar. */
  describe: (top: string, last: string) => string
  series: readonly Series<Step>[]
  /** Oldest first. */
  steps: readonly Step[]
  /** Label of the left end. */
  begins: string
  /** Parts of the width to shade: times with an open alert. */
  shaded?: readonly (readonly [from: number, to: number])[]
  write?: (value: number) => string
}

/** Leaves room for the texts at the largest size of the style. */
const size = { width: 600, height: 200, left: 6, right: 6, top: 30, bottom: 30 }
const plotWidth = size.width - size.left - size.right
const plotHeight = size.height - size.top - size.bottom
const floor = size.top + plotHeight

/** Values over time as bars, one per step, with a legend. */
export function StackedBars<Step>(props: StackedBarsProps<Step>) {
  const { title, describe, series, steps, begins, shaded = [], write = count } = props
  const values = steps.map((step) => series.map(({ valueOf }) => valueOf(step)))
  const totals = values.map((each) => each.reduce((total, value) => total + value, 0))
  const highest = Math.max(0, ...totals)
  const top = highest || 1
  const width = plotWidth / steps.length
  return (
    <figure>
      {title !== undefined && <figcaption>{title}</figcaption>}
      <svg
        class="over-time"
        viewBox={`0 0 ${size.width} ${size.height}`}
        role="img"
        aria-label={describe(write(highest), write(totals.at(-1) ?? 0))}
      >
        {shaded.map(([from, to]) => (
          <rect
            class="incident"
            x={size.left + from * plotWidth}
            y={size.top}
            width={Math.max(2, (to - from) * plotWidth)}
            height={plotHeight}
          />
        ))}
        <line class="axis" x1={size.left} x2={size.width - size.right} y1={floor} y2={floor} />
        <text x={size.left} y={size.top - 8}>
          {write(highest)}
        </text>
        <text x={size.left} y={size.height - 8}>
          {begins}
        </text>
        <text x={size.width - size.right} y={size.height - 8} text-anchor="end">
          now
        </text>
        {values.flatMap((each, index) => {
          let y = floor
          return each.map((value, at) => {
            const height = (value / top) * plotHeight
            y -= height
            return (
              height > 0 && (
                <rect
                  class={series[at]?.tone}
                  x={size.left + index * width}
                  y={y}
                  width={Math.max(1, width - 1)}
                  height={height}
                />
              )
            )
          })
        })}
      </svg>
      {series.length > 1 && (
        <ul class="legend">
          {series.map(({ name, tone }) => (
            <li key={name}>
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <rect class={tone} width="10" height="10" />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      )}
    </figure>
  )
}
