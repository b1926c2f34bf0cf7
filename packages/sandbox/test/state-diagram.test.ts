import { describe, expect, it } from 'vitest'
import { lifeCycles } from '../src/documents/life-cycles.ts'
import { isTerminal as endsLife } from '../../client/src/schemas/kinds.ts'
import { isTerminal, stateDiagram, targetsFromEverywhere } from '../src/documents/state-diagram.ts'

const draw = (states: string[], rows: { from: string; to: string; after?: readonly [number, number] }[]) =>
  stateDiagram('x', 'label', states, rows).html
const count = (text: string, part: string) => text.split(part).length - 1
const after = [0, 1] as const

describe('the diagram of a state table', () => {
  it.each(lifeCycles)(
    'of $title has every state once, and a line for every move that the words beside it leave out',
    (cycle) => {
      const states = Object.keys(cycle.meanings)
      const picture = stateDiagram(cycle.id, cycle.title, states, cycle.rows).html
      for (const state of states) expect([state, count(picture, `>${state}</text>`)]).toEqual([state, 1])
      const everywhere = targetsFromEverywhere(cycle.rows)
      const moves = cycle.rows.filter(
        (row) => row.from !== row.to && (row.after !== undefined || !everywhere.has(row.to)),
      )
      const lines = new Set(moves.map(({ from, to }) => `${from} ${to}`))
      expect(count(picture, 'class="move')).toBe(lines.size)
    },
  )

  it('tells ways there and back, lines that are asked for, and terminal states', () => {
    const picture = draw(
      ['a', 'b', 'end'],
      [
        { from: 'a', to: 'b', after },
        { from: 'b', to: 'a', after },
        { from: 'b', to: 'end' },
      ],
    )
    expect(count(picture, 'marker-end')).toBe(3)
    expect(count(picture, 'class="move asked"')).toBe(1)
    expect(count(picture, 'class="state terminal"')).toBe(1)
  })

  it('draws the arcs to later states at the right of the boxes, to earlier ones at the left, all within the picture', () => {
    for (const { id, title, meanings, rows } of lifeCycles) {
      const picture = stateDiagram(id, title, Object.keys(meanings), rows).html
      const width = Number(/width="([\d.]+)"/.exec(picture)?.[1])
      const [, left, boxWidth] = (/<rect[^>]* x="([\d.]+)"[^>]* width="([\d.]+)"/s.exec(picture) ?? []).map(Number)
      for (const [, ...numbers] of picture.matchAll(/d="M([\d.]+) ([\d.]+)C([\d.-]+) [\d.]+ [\d.-]+ ([\d.]+)/g)) {
        const [x = 0, y1 = 0, aside = 0, y2 = 0] = numbers.map(Number)
        const edge = y2 > y1 ? Number(left) + Number(boxWidth) : left
        // A cubic arc reaches three quarters of the way to its control points.
        const furthest = x + (aside - x) * 0.75
        expect([title, x, furthest > 0 && furthest < width]).toEqual([title, edge, true])
      }
    }
  })

  it.each([
    ['prior_authorization', 'life-prior-authorization'],
    ['benefit_verification', 'life-benefit-verification'],
  ] as const)('leaves a status of a %s unless it is terminal to all of pawl', (kind, id) => {
    const { rows, meanings } = lifeCycles.find((cycle) => cycle.id === id) ?? { rows: [], meanings: {} }
    const states = Object.keys(meanings)
    expect(states.filter((state) => isTerminal(state, rows))).toEqual(states.filter((state) => endsLife(kind, state)))
    expect(states.some((state) => endsLife(kind, state))).toBe(true)
  })

  it('takes a move to its own state for no way out of it', () => {
    const rows = [
      { from: 'a', to: 'b', after },
      { from: 'b', to: 'b' },
    ]
    expect(isTerminal('b', rows)).toBe(true)
    expect(count(draw(['a', 'b'], rows), 'class="move')).toBe(1)
  })
})
