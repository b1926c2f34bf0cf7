import { html, type Markup } from './markup.ts'
import type { Row } from '../platform/machine.ts'

/** A move between two states. */
interface Move {
  from: string
  to: string
}

const boxHeight = 34
const step = 56
const margin = 12
const letterWidth = 7.9
/** Horizontal reach of an arc for each state that it spans. */
const reach = 18
/** Arcs leave a box on one side of its middle and arrive on the other. */
const offset = 7

/** A state table as SVG: states in one column in the given order, moves to later states at its right, to earlier ones at its left. Leaves moves that every running state has to the caption. */
export function stateDiagram(
  id: string,
  label: string,
  states: readonly string[],
  rows: readonly Row<string, string>[],
): Markup {
  const everywhere = targetsFromEverywhere(rows)
  const drawn = rows.filter((row) => isLeaving(row) && (row.after !== undefined || !everywhere.has(row.to)))
  const moves = distinct(drawn)
  const spanOf = ({ from, to }: Move) => states.indexOf(to) - states.indexOf(from)
  const isAutomatic = ({ from, to }: Move) =>
    drawn.some((row) => row.from === from && row.to === to && row.after !== undefined)
  const boxWidth = Math.max(...states.map((state) => state.length)) * letterWidth + 24
  const left = margin + Math.max(0, ...moves.map((move) => -spanOf(move))) * reach
  const width = Math.ceil(left + boxWidth + Math.max(0, ...moves.map(spanOf)) * reach + margin)
  const height = states.length * step - (step - boxHeight) + 2 * margin
  const middleOf = (state: string) => margin + states.indexOf(state) * step + boxHeight / 2
  const pathOf = (move: Move) => {
    const span = spanOf(move)
    const [start, end] = [middleOf(move.from), middleOf(move.to)]
    if (span === 1) return `M${left + boxWidth / 2} ${start + boxHeight / 2}V${end - boxHeight / 2}`
    const x = span > 0 ? left + boxWidth : left
    const aside = x + (span * reach * 4) / 3
    const [y1, y2] = [start + Math.sign(span) * offset, end - Math.sign(span) * offset]
    return `M${x} ${y1}C${aside} ${y1} ${aside} ${y2} ${x} ${y2}`
  }
  return html`<svg
    role="img"
    aria-label="${label}"
    width="${width}"
    height="${height}"
    viewBox="0 0 ${width} ${height}"
  >
    <defs>
      <marker id="${id}-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
        <path d="M0 0 8 4 0 8z" class="tip" />
      </marker>
    </defs>
    ${moves.map((move) => html`<path class="move${isAutomatic(move) ? '' : ' asked'}" d="${pathOf(move)}" marker-end="url(#${id}-tip)" />`)}
    ${states.map((state) => {
      const isEnd = isTerminal(state, rows)
      const middle = middleOf(state)
      return html`<rect
          class="state${isEnd ? ' terminal' : ''}"
          x="${left}"
          y="${middle - boxHeight / 2}"
          width="${boxWidth}"
          height="${boxHeight}"
          rx="${isEnd ? 17 : 6}"
        /><text x="${left + boxWidth / 2}" y="${middle + 4}">${state}</text>`
    })}
  </svg>`
}

/** Whether no move leaves the state. */
export function isTerminal(state: string, rows: readonly Row<string, string>[]): boolean {
  return !rows.some((row) => row.from === state && isLeaving(row))
}

const isLeaving = ({ from, to }: Move) => from !== to

/** Targets that every non-terminal state can move to on request, if there are several such states. */
export function targetsFromEverywhere(rows: readonly Row<string, string>[]): Set<string> {
  const running = new Set(rows.filter(isLeaving).map(({ from }) => from))
  const asked = rows.filter(({ after }) => after === undefined)
  const targets = new Set(asked.map(({ to }) => to))
  return new Set(
    [...targets].filter(
      (target) =>
        running.size > 1 && [...running].every((from) => asked.some((row) => row.from === from && row.to === target)),
    ),
  )
}

function distinct(rows: readonly Row<string, string>[]): Move[] {
  return [...new Map(rows.map(({ from, to }) => [`${from} ${to}`, { from, to }])).values()]
}
