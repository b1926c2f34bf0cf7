import { styleText } from 'node:util'

/** A piece of a line, and how it is painted. */
export type Span = readonly [text: string, style?: 'dim' | 'bold' | 'blue' | 'green' | 'yellow' | 'red']

/** Breaks a line at spaces to fit the width, and indents what follows the first break. A longer word stays whole, so that it can be copied. */
export function foldLine(
  spans: readonly Span[],
  { width, indent, isColoured }: { width: number; indent: number; isColoured: boolean },
): string {
  const text = spans.map(([piece]) => piece).join('')
  return breakLine(text, width, indent)
    .map(([from, to]) => paint(spans, from, to, isColoured))
    .join(`\n${' '.repeat(indent)}`)
}

/** Where each line begins and ends. */
function breakLine(text: string, width: number, indent: number): [from: number, to: number][] {
  const lines: [number, number][] = []
  const roomOf = (line: number) => (line === 0 ? width : width - indent)
  const end = text.trimEnd().length
  let from = 0
  while (end - from > roomOf(lines.length)) {
    const word = from + text.slice(from).search(/\S/)
    const last = text.lastIndexOf(' ', from + roomOf(lines.length))
    const at = last > word ? last : text.indexOf(' ', word)
    if (at === -1 || at >= end) break
    lines.push([from, text.slice(0, at).trimEnd().length])
    from = at + text.slice(at).search(/\S/)
  }
  return [...lines, [from, end]]
}

function paint(spans: readonly Span[], from: number, to: number, isColoured: boolean): string {
  let painted = ''
  let start = 0
  for (const [text, style] of spans) {
    const piece = text.slice(Math.max(0, from - start), Math.max(0, to - start))
    const isPlain = piece === '' || style === undefined || !isColoured
    painted += isPlain ? piece : styleText(style, piece, { validateStream: false })
    start += text.length
  }
  return painted
}
