/** A move between two states. */
export interface Move {
  from: string
  to: string
}

/** Position of a state, or of a line's bend in a layer it passes; `x` is the middle. */
export interface Place {
  name: string
  layer: number
  x: number
  width: number
}

/** A line with the places that it touches, from top to bottom. */
export interface Line {
  places: Place[]
  /** The move goes up, from the last place to the first. */
  isUpward: boolean
  move: Move
}

const gap = 18
const bendWidth = 14

/** Arranges states in layers from top to bottom, with a simple search for few crossings. `states` are in life-cycle order: a move to an earlier one leads up. No move may lead to its own state. `widthOf` is in pixels. */
export function layOut(
  states: readonly string[],
  moves: readonly Move[],
  widthOf: (state: string) => number,
): { layers: Place[][]; lines: Line[] } {
  const isUpward = ({ from, to }: Move) => states.indexOf(to) < states.indexOf(from)
  const downward = moves.map((move) => (isUpward(move) ? { from: move.to, to: move.from } : move))
  const layerOf = layersOf(states, downward)
  const layers: Place[][] = Array.from({ length: Math.max(...layerOf.values()) + 1 }, () => [])
  const placeAt = (layer: number, name: string, width: number): Place => {
    const place = { name, layer, x: 0, width }
    layers[layer]?.push(place)
    return place
  }
  const places = new Map(
    states.map((state) => [state, placeAt(layerOf.get(state) ?? 0, state, widthOf(state))] as const),
  )
  const lines = moves.flatMap((move, index): Line[] => {
    const { from, to } = downward[index] ?? move
    const [first, last] = [places.get(from), places.get(to)]
    if (first === undefined || last === undefined) return []
    const bends = Array.from({ length: last.layer - first.layer - 1 }, (_none, step) =>
      placeAt(first.layer + 1 + step, '', bendWidth),
    )
    return [{ places: [first, ...bends, last], isUpward: isUpward(move), move }]
  })
  const neighbours = neighboursOf(lines)
  orderLayers(layers, neighbours)
  for (let round = 0; round < 12; round++) for (const layer of layers) align(layer, neighbours)
  const left = Math.min(...layers.flat().map(({ x, width }) => x - width / 2))
  for (const place of layers.flat()) place.x -= left
  return { layers, lines }
}

/** The longest path to each state; a state without lines is in the last layer. */
function layersOf(states: readonly string[], moves: readonly Move[]): Map<string, number> {
  const layers = new Map<string, number>()
  const layerOf = (state: string): number => {
    const known = layers.get(state)
    if (known !== undefined) return known
    const before = moves.filter(({ to }) => to === state).map(({ from }) => layerOf(from) + 1)
    const layer = Math.max(0, ...before)
    layers.set(state, layer)
    return layer
  }
  for (const state of states) layerOf(state)
  const last = Math.max(...layers.values())
  for (const state of states)
    if (!moves.some(({ from }) => from === state) && state !== states[0]) layers.set(state, last)
  return layers
}

type Neighbours = Map<Place, Place[]>

function neighboursOf(lines: readonly Line[]): Neighbours {
  const found: Neighbours = new Map()
  const add = (one: Place, other: Place) => found.set(one, [...(found.get(one) ?? []), other])
  for (const { places } of lines)
    places.slice(1).forEach((place, index) => {
      const before = places[index]
      if (before === undefined) return
      add(before, place)
      add(place, before)
    })
  return found
}

/** Sorts each layer by the mean position of its neighbours, and takes the best order found. */
function orderLayers(layers: Place[][], neighbours: Neighbours): void {
  let best = layers.map((layer) => [...layer])
  const rank = () => layers.forEach((layer) => layer.forEach((place, index) => (place.x = index)))
  rank()
  for (let round = 0; round < 24; round++) {
    const isDownward = round % 2 === 0
    for (const layer of isDownward ? layers : layers.toReversed()) {
      const middles = new Map(
        layer.map((place) => {
          const joined = (neighbours.get(place) ?? []).filter((one) => one.layer < place.layer === isDownward)
          return [place, joined.length === 0 ? place.x : mean(joined.map(({ x }) => x))] as const
        }),
      )
      layer.sort((one, other) => (middles.get(one) ?? 0) - (middles.get(other) ?? 0))
      layer.forEach((place, index) => (place.x = index))
    }
    if (crossings(layers, neighbours) < crossings(best, neighbours)) best = layers.map((layer) => [...layer])
  }
  best.forEach((layer, index) => layers[index]?.splice(0, layer.length, ...layer))
}

function crossings(layers: readonly Place[][], neighbours: Neighbours): number {
  const ranks = new Map(layers.flatMap((layer) => layer.map((place, index) => [place, index] as const)))
  const rank = (place: Place) => ranks.get(place) ?? 0
  return layers.reduce((sum, layer) => {
    const spans = layer.flatMap((place) =>
      (neighbours.get(place) ?? [])
        .filter((other) => other.layer === place.layer + 1)
        .map((other) => [rank(place), rank(other)] as const),
    )
    const crossed = spans.flatMap(([a, b], index) => spans.slice(index + 1).filter(([c, d]) => (a - c) * (b - d) < 0))
    return sum + crossed.length
  }, 0)
}

/** Aligns each place with its connected places, as far as the layer has room. */
function align(layer: readonly Place[], neighbours: Neighbours): void {
  const wanted = layer.map((place) => mean((neighbours.get(place) ?? [place]).map(({ x }) => x)))
  let edge = -Infinity
  layer.forEach((place, index) => {
    place.x = Math.max(wanted[index] ?? 0, edge + place.width / 2)
    edge = place.x + place.width / 2 + gap
  })
  const shift = mean(layer.map(({ x }, index) => (wanted[index] ?? 0) - x))
  for (const place of layer) place.x += shift
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length
}
