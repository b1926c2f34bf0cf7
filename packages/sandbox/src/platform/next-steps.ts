import type { Row } from './machine.ts'

/** A state that a resource could be in next. */
export interface NextStep {
  to: string
  /** Why the resource cannot move there; absent if it can. */
  obstacle?: string
}

type Rows = readonly Row<string, string>[]

/** All target states of a table, with an obstacle for each that cannot follow `from`. Includes `from` only if it can repeat. `ruleAgainst` gives the interface's reason against a row. */
export function nextSteps(
  rows: Rows,
  from: string,
  ruleAgainst: (row: Row<string, string>) => string | undefined = () => undefined,
): NextStep[] {
  const isOver = rows.every((row) => row.from !== from)
  const mayRepeat = rows.some((row) => row.from === from && row.to === from)
  const states = [...new Set(rows.map(({ to }) => to))].filter((to) => to !== from || mayRepeat)
  return states.map((to) => {
    const before = [...new Set(rows.filter((row) => row.to === to).map((row) => row.from))]
    const rules = rows.filter((row) => row.from === from && row.to === to).map(ruleAgainst)
    if (before.includes(from)) return rules[0] === undefined ? { to } : { to, obstacle: rules[0] }
    return { to, obstacle: isOver ? `Nothing follows ${from}.` : `It follows only ${listed(before)}.` }
  })
}

function listed(words: readonly string[]): string {
  return words.length === 1 ? String(words[0]) : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** States of the shortest path from one state to another, target included; undefined without a path. */
export function wayTo(rows: Rows, from: string, to: string): string[] | undefined {
  const ways: string[][] = [[from]]
  const seen = new Set([from])
  // Breadth-first: the loop also visits entries added meanwhile.
  for (const way of ways) {
    const last = way.at(-1)
    if (last === to) return way.slice(1)
    for (const row of rows) {
      if (row.from !== last || seen.has(row.to)) continue
      seen.add(row.to)
      ways.push([...way, row.to])
    }
  }
  return undefined
}
