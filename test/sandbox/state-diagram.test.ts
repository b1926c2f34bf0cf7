import { describe, expect, it } from 'vitest'
import { layOut } from '../../src/sandbox/documents/diagram-layout.ts'
import { lifeCycles } from '../../src/sandbox/documents/life-cycles.ts'
import { isTerminal as endsLife } from '../../src/service/schemas/kinds.ts'
import { isTerminal, stateDiagram, targetsFromEverywhere } from '../../src/sandbox/documents/state-diagram.ts'

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
      // A way there and back is one line.
      const lines = new Set(moves.map(({ from, to }) => [from, to].toSorted().join(' ')))
      expect(count(picture, 'class="move')).toBe(lines.size)
    },
  )

  it('tells ways back, lines that are asked for, and terminal states', () => {
    const picture = draw(
      ['a', 'b', 'end'],
      [
        { from: 'a', to: 'b', after },
        { from: 'b', to: 'a', after },
        { from: 'b', to: 'end' },
      ],
    )
    expect(count(picture, 'marker-start')).toBe(1)
    expect(count(picture, 'class="move asked"')).toBe(1)
    expect(count(picture, 'class="state terminal"')).toBe(1)
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

  it('leaves lines that pass a layer room beside its boxes', () => {
    const moves = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'a', to: 'c' },
    ]
    const { layers } = layOut(['a', 'b', 'c'], moves, () => 100)
    expect(layers.map((layer) => layer.length)).toEqual([1, 2, 1])
    for (const layer of layers)
      layer.slice(1).forEach((place, index) => {
        const before = layer[index]
        expect(place.x - place.width / 2).toBeGreaterThan((before?.x ?? 0) + (before?.width ?? 0) / 2)
      })
  })
})
