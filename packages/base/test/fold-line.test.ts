import { expect, it } from 'vitest'
import { foldLine, type Span } from '../src/fold-line.ts'

const fold = (text: string, width: number, indent = 2) => foldLine([[text]], { width, indent, isColoured: false })

it('leaves a line that fits, and cuts only the spaces at its end', () => {
  expect(fold('one two three', 13)).toBe('one two three')
  expect(fold('one two three  ', 13)).toBe('one two three')
  expect(fold('', 13)).toBe('')
})

it('breaks at the last space that fits, and indents the rest', () => {
  expect(fold('one two three four', 13)).toBe('one two three\n  four')
  expect(fold('one two three four', 12)).toBe('one two\n  three four')
  expect(fold('name      one two', 8)).toBe('name\n  one\n  two')
})

it('keeps a word whole that is longer than a line', () => {
  expect(fold('see http://127.0.0.1:4000/docs now', 10)).toBe('see\n  http://127.0.0.1:4000/docs\n  now')
  expect(fold('    indented', 6)).toBe('    indented')
})

it('keeps each word, at any width', () => {
  const text = 'src/a.ts:1:2  A message of several words, one of them unbelievably long, and its end'
  for (let width = 1; width < 90; width += 1) expect(fold(text, width).split(/\s+/)).toEqual(text.split(/\s+/))
})

it('paints each piece of a line by itself, and only where colours are wanted', () => {
  const spans: Span[] = [['one '], ['two three', 'red']]
  const red = (text: string) => `\u001B[31m${text}\u001B[39m`
  expect(foldLine(spans, { width: 8, indent: 1, isColoured: true })).toBe(`one ${red('two')}\n ${red('three')}`)
  expect(foldLine(spans, { width: 8, indent: 1, isColoured: false })).toBe('one two\n three')
})
