import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findJsonFault } from '../../src/sandbox/pages/create/find-json-fault.ts'

const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('the place at which a text is no JSON', () => {
  it.each([
    ['', 1, 1],
    ['{"a":1,}', 1, 8],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['{"a": [1, 2}', 1, 12],
    ['[1, 2', 1, 6],
    ["{'a': 1}", 1, 2],
    ['{a: 1}', 1, 2],
    ['{"a": tru}', 1, 7],
    ['{"a": "one\ntwo"}', 1, 7],
    ['{"a" 1}', 1, 6],
    ['[] []', 1, 4],
    ['[,]', 1, 2],
    ['"a": 1', 1, 4],
    ['01', 1, 2],
    ['// no\n{}', 1, 1],
  ])('of %j is line %d, column %d', (text, line, column) => {
    expect(findJsonFault(text)).toEqual({ line, column })
  })

  it('is none in JSON, however it is written', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(3), (text, indent) => {
        const written = JSON.stringify(JSON.parse(text), null, indent)
        expect([findJsonFault(text), findJsonFault(written)]).toEqual([undefined, undefined])
      }),
    )
  })

  it('is found exactly where JSON.parse finds a fault, in any text', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '1',
      '-',
      '.5',
      'e3',
      'null',
      ' ',
      '\n',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('')
        expect({ text, isJson: findJsonFault(text) === undefined }).toEqual({ text, isJson: isJson(text) })
      }),
      { numRuns: 5_000 },
    )
  })

  it('is found in what is nested a hundred thousand times, and in a file of megabytes', () => {
    expect(findJsonFault('['.repeat(100_000))).toEqual({ line: 1, column: 100_001 })
    expect(findJsonFault(`{"file": "${'x'.repeat(4_000_000)}",}`)).toEqual({ line: 1, column: 4_000_013 })
  })
})
