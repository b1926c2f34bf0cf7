import type { LogLine } from '@pawl/base/tell-line'

/** Takes what pawl's log tells of a case. */
export type ShowCase = (title: string, entry: LogLine) => void

/** One line for each case on a terminal, redrawn as the case goes on: its status, webhooks and writes, and the last failure until the next success. */
export function createCaseLines(
  titles: readonly string[],
  out: { write(text: string): unknown; columns?: number },
): ShowCase {
  const cases = new Map(titles.map((title) => [title, { state: 'not heard of yet', webhooks: 0, writes: 0 }]))
  const width = Math.max(...titles.map(({ length }) => length))
  let isDrawn = false
  return (title, { msg, status, outcome, count, error }) => {
    const of = cases.get(title)
    if (of === undefined) return
    if (msg === 'delivery') of.webhooks += 1
    if (msg === 'handled') {
      of.writes += count ?? 0
      of.state = `${status}${outcome === undefined ? '' : ` (${outcome})`}`
    }
    if (error !== undefined) of.state = `${error.code}, will be retried`
    const lines = [...cases].map(([name, { state, webhooks, writes }]) =>
      `${name.padEnd(width)}  ${`${webhooks} webhooks`.padEnd(11)}  ${`${writes} writes`.padEnd(9)}  ${state}`.slice(
        0,
        (out.columns ?? 80) - 1,
      ),
    )
    const up = isDrawn ? `\u001B[${lines.length}A` : ''
    out.write(`${up}${lines.map((line) => `\u001B[2K${line}\n`).join('')}`)
    isDrawn = true
  }
}
