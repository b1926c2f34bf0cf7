import { type Line, layOut, type Move, type Place } from './diagram-layout.ts'
import { html, type Markup } from './markup.ts'
import type { Row } from '../platform/machine.ts'

const boxHeight = 34
const layerGap = 46
const margin = 12
const letterWidth = 7.9

const widthOf = (state: string) => state.length * letterWidth + 24
const topOf = ({ layer }: Place) => margin + layer * (boxHeight + layerGap)

/** A state table as SVG: boxes for states, lines for moves. Leaves moves that every running state has to the caption. */
export function stateDiagram(
  id: string,
  label: string,
  states: readonly string[],
  rows: readonly Row<string, string>[],
): Markup {
  const everywhere = targetsFromEverywhere(rows)
  const drawn = rows.filter((row) => isLeaving(row) && (row.after !== undefined || !everywhere.has(row.to)))
  const { layers, lines } = layOut(states, distinct(drawn), widthOf)
  const width = Math.ceil(Math.max(...layers.flat().map(({ x, width: own }) => x + own / 2)) + 2 * margin)
  const height = layers.length * (boxHeight + layerGap) - layerGap + 2 * margin
  const isAutomatic = ({ from, to }: Move) =>
    drawn.some((row) => row.from === from && row.to === to && row.after !== undefined)
  const ports = portsOf(lines)
  return html`<svg
    role="img"
    aria-label="${label}"
    width="${width}"
    height="${height}"
    viewBox="0 0 ${width} ${height}"
  >
    <defs>
      <marker
        id="${id}-tip"
        viewBox="0 0 8 8"
        refX="7"
        refY="4"
        markerWidth="8"
        markerHeight="8"
        orient="auto-start-reverse"
      >
        <path d="M0 0 8 4 0 8z" class="tip" />
      </marker>
    </defs>
    ${merged(lines).map(({ line, isBothWays }) => {
      const tip = `url(#${id}-tip)`
      const [atStart, atEnd] = [line.isUpward || isBothWays, !line.isUpward || isBothWays]
      return html`<path
        class="move${isAutomatic(line.move) ? '' : ' asked'}"
        d="${pathOf(line, ports)}"
        ${atStart ? html`marker-start="${tip}"` : undefined}
        ${atEnd ? html`marker-end="${tip}"` : undefined}
      />`
    })}
    ${layers
      .flat()
      .filter(({ name }) => name !== '')
      .map((place) => boxOf(place, isTerminal(place.name, rows)))}
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

/** Draws two opposite moves as one line. */
function merged(lines: readonly Line[]): { line: Line; isBothWays: boolean }[] {
  const back = (line: Line) => lines.find(({ move }) => move.from === line.move.to && move.to === line.move.from)
  return lines.flatMap((line) => {
    const other = back(line)
    return other !== undefined && line.isUpward ? [] : [{ line, isBothWays: other !== undefined }]
  })
}

/** Offsets from the middle of a box, so that lines do not meet at one point. */
type Ports = Map<Line, { first: number; last: number }>

function portsOf(lines: readonly Line[]): Ports {
  const kept = merged(lines).map(({ line }) => line)
  const spread = (line: Line, end: 'first' | 'last') => {
    const endOf = ({ places }: Line) => (end === 'first' ? places[0] : places.at(-1))
    const nextOf = ({ places }: Line) => (end === 'first' ? places[1] : places.at(-2))
    const box = endOf(line)
    const all = kept
      .filter((one) => endOf(one) === box)
      .toSorted((one, other) => (nextOf(one)?.x ?? 0) - (nextOf(other)?.x ?? 0))
    const step = Math.min(20, ((box?.width ?? 0) - 24) / all.length)
    return (all.indexOf(line) - (all.length - 1) / 2) * step
  }
  return new Map(kept.map((line) => [line, { first: spread(line, 'first'), last: spread(line, 'last') }]))
}

function pathOf(line: Line, ports: Ports): string {
  const { places } = line
  const { first = 0, last = 0 } = ports.get(line) ?? {}
  const points = places.flatMap((place, index): [x: number, y: number][] => {
    const x = margin + place.x
    if (index === 0) return [[x + first, topOf(place) + boxHeight]]
    if (index === places.length - 1) return [[x + last, topOf(place)]]
    return [
      [x, topOf(place)],
      [x, topOf(place) + boxHeight],
    ]
  })
  return points
    .map(([x, y], index) => {
      const [px, py] = points[index - 1] ?? [x, y]
      const middle = round((py + y) / 2)
      return index === 0 ? `M${round(x)} ${y}` : `C${round(px)} ${middle} ${round(x)} ${middle} ${round(x)} ${y}`
    })
    .join('')
}

function boxOf(place: Place, isEnd: boolean): Markup {
  const [x, y] = [margin + place.x, topOf(place)]
  return html`<rect
      class="state${isEnd ? ' terminal' : ''}"
      x="${round(x - place.width / 2)}"
      y="${y}"
      width="${round(place.width)}"
      height="${boxHeight}"
      rx="${isEnd ? 17 : 6}"
    /><text x="${round(x)}" y="${y + boxHeight / 2 + 4}">${place.name}</text>`
}

const round = (number: number) => Math.round(number * 10) / 10
