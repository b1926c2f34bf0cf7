/** A moment, in UTC to the second. */
export function Moment({ at }: { at: number | string | undefined }) {
  if (at === undefined) return null
  const iso = new Date(at).toISOString()
  return <time dateTime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 19)} Z`}</time>
}

/** A moment relative to now, with the exact time on hover. The pages' script keeps it current, and converts the exact time to local time. */
export function When({ at, now = Date.now() }: { at: number | string | undefined; now?: number }) {
  if (at === undefined) return null
  const date = new Date(at)
  return (
    <time dateTime={date.toISOString()} title={utc(date)} data-when>
      {distance(date.getTime() - now)}
    </time>
  )
}

/** A moment as the time of day, to the minute or the second, with the date if it was not today. The server renders UTC; the pages' script converts it to local time. */
export function Clock({ at, now = Date.now(), to = 'minute' }: ClockProps) {
  const iso = new Date(at).toISOString()
  const isToday = iso.slice(0, 10) === new Date(now).toISOString().slice(0, 10)
  return (
    <time dateTime={iso} title={utc(new Date(at))} data-clock={to}>
      {`${isToday ? '' : `${iso.slice(0, 10)} `}${iso.slice(11, to === 'second' ? 19 : 16)} UTC`}
    </time>
  )
}

interface ClockProps {
  at: number | string
  now?: number
  to?: 'minute' | 'second'
}

function utc(date: Date): string {
  const iso = date.toISOString()
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} Z`
}

/** Formats a distance in time, such as "3 min ago" or "in 2 h". */
function distance(ms: number): string {
  const size = Math.abs(ms)
  if (size < 1_000) return 'now'
  const [unit, of] = units.find(([, of]) => size >= of) ?? ['s', 1_000]
  const words = `${Math.floor(size / of)} ${unit}`
  return ms < 0 ? `${words} ago` : `in ${words}`
}

/** How long ago something was, in whole units, such as "3 min ago". */
export function ago(ms: number): string {
  return ms < 1_000 ? 'just now' : distance(-ms)
}

const units: readonly [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
]

/** A duration in the largest unit that fits. */
export function duration(ms: number): string {
  for (const [unit, size] of units) if (ms >= size) return `${Math.round((ms / size) * 10) / 10} ${unit}`
  return `${Math.round(ms)} ms`
}

/** A number with thousands separators. */
export function count(value: number): string {
  return value.toLocaleString('en-US')
}

/** The singular for 1, else the plural. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return value === 1 ? one : many
}
