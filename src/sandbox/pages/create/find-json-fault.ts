/** Position of a syntax error, counted from 1. */
export interface JsonFault {
  line: number
  column: number
}

type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | 'colon' | 'comma or end' | 'end'

const token =
  /"(?:[ !#-[\]-\u{10ffff}]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[\]{}:,]/uy
const space = /[ \t\n\r]*/y

/** Position of the first syntax error in a text, or its end if the text is incomplete; undefined for valid JSON. Messages of `JSON.parse` seldom name it. */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: ('[' | '{')[] = []
  let expected: Expected = 'value'
  for (let at = endOf(space, text, 0) ?? 0; ;) {
    if (at >= text.length) return expected === 'end' ? undefined : placeOf(text, at)
    const end = endOf(token, text, at)
    const next: Expected | undefined =
      end === undefined ? undefined : expectedAfter(text.slice(at, end), expected, open)
    if (end === undefined || next === undefined) return placeOf(text, at)
    expected = next
    at = endOf(space, text, end) ?? end
  }
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** Expectation after a token; undefined if the token is unexpected. Updates the stack of open brackets. */
function expectedAfter(found: string, expected: Expected, open: ('[' | '{')[]): Expected | undefined {
  const after = (): Expected => (open.length === 0 ? 'end' : 'comma or end')
  const isClosed = (bracket: '[' | '{') => {
    if (open.at(-1) !== bracket) return undefined
    open.pop()
    return after()
  }
  if (found === ']') return expected === 'value or ]' || expected === 'comma or end' ? isClosed('[') : undefined
  if (found === '}') return expected === 'name or }' || expected === 'comma or end' ? isClosed('{') : undefined
  if (found === ',') return expected === 'comma or end' ? (open.at(-1) === '{' ? 'name' : 'value') : undefined
  if (found === ':') return expected === 'colon' ? 'value' : undefined
  if (expected === 'name' || expected === 'name or }') return found.startsWith('"') ? 'colon' : undefined
  if (expected !== 'value' && expected !== 'value or ]') return undefined
  if (found !== '[' && found !== '{') return after()
  open.push(found)
  return found === '[' ? 'value or ]' : 'name or }'
}

function placeOf(text: string, at: number): JsonFault {
  const lines = text.slice(0, at).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}
