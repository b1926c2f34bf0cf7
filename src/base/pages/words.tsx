/** A moment, in UTC to the second. */
export function Moment({ at }: { at: number | string | undefined }) {
  if (at === undefined) return <span class="faint">–</span>
  const iso = new Date(at).toISOString()
  return <time dateTime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 19)} Z`}</time>
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
