import { expect, it } from 'vitest'
import { countValues, parseJson } from '../src/parse-json.ts'

const bounds = { maxDepth: 3, maxValues: 5 }

it('the bounded JSON parser counts fields and elements, and nothing in a string', () => {
  for (const [text, values] of [
    ['1', 0],
    ['{"a":1,"b":[true]}', 3],
    ['"[[[[[[,,,,,,"', 0],
    [String.raw`["\"[[[[", "\\", "\\\"{{{{,,,,"]`, 3],
    [String.raw`{"\u0022[[[[":"\\"}`, 1],
    ['["no end, [[[[[', 1],
    ['["an escape at the end \\', 1],
  ] as const)
    expect([text, countValues(text, bounds)]).toEqual([text, values])
})

it('the bounded JSON parser says which bound a text passes, after any strings', () => {
  for (const before of ['', String.raw`"\\",`, String.raw`"\"",`, String.raw`"\\\"[",`]) {
    expect(() => countValues(`[${before}[[1]]]`, bounds)).not.toThrow()
    expect(() => countValues(`[${before}[[[1]]]]`, bounds)).toThrow(expect.objectContaining({ code: 'json_too_deep' }))
  }
  expect(() => countValues('[1,2,3,4,5,6]', bounds)).toThrow(expect.objectContaining({ code: 'json_too_many_values' }))
})

it('the bounded JSON parser reads an answer that is too deep as none', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  expect(parseJson(nested(100))).toBeDefined()
  expect(parseJson(nested(101))).toBeUndefined()
})
