/** Where a text stops being JSON, both counted from 1. */
export interface JsonFault {
  line: number
  column: number
}

type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | 'colon' | 'comma or end' | 'end'

const token =
  /"(?:[ !#-[\]-\u{10ffff}]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[\]{}:,]/uy
const space = /[ \t\n\r]*/y

/** The first place at which a text is no JSON, its end where something is missing there; undefined for JSON. The messages of `JSON.parse` seldom name it. */
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

/** What may follow a token, where the token is what was expected; keeps account of what is open. */
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
