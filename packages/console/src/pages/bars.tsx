/** One bar: its name, its length among the others, and its value in words. */
export interface Bar {
  name: string
  value: number
  says: string
}

const size = { width: 600, row: 40, left: 6, right: 6, gap: 8 }
const plotWidth = size.width - size.left - size.right

/** Figures side by side as bars, unless there are fewer than two. The table that holds them stands elsewhere on the page. */
export function Bars({ title, bars }: { title: string; bars: readonly Bar[] }) {
  if (bars.length < 2) return null
  const longest = Math.max(...bars.map(({ value }) => value)) || 1
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg
        viewBox={`0 0 ${size.width} ${bars.length * size.row + size.gap}`}
        role="img"
        aria-label={`${title}: ${bars.map(({ name, says }) => `${name} ${says}`).join(', ')}.`}
      >
        {bars.map(({ name, value, says }, index) => {
          const y = index * size.row + size.gap
          return (
            <>
              <text x={size.left} y={y + 14}>
                {name}
              </text>
              <text x={size.width - size.right} y={y + 14} text-anchor="end">
                {says}
              </text>
              <rect
                class="stored"
                x={size.left}
                y={y + 20}
                width={Math.max(1, (value / longest) * plotWidth)}
                height={8}
              />
            </>
          )
        })}
      </svg>
    </figure>
  )
}
