import { PawlError } from './errors.ts'

/** Limits of a JSON text. */
export interface JsonBounds {
  /** Nesting of lists and objects. */
  maxDepth: number
  /** Fields of objects and elements of lists, in total. */
  maxValues: number
}

/** Limits for answers of systems, such as the capabilities of a chart, and for the admin listener. A full PA has depth 6 and 139 values. */
const answerBounds: JsonBounds = { maxDepth: 100, maxValues: 1_000_000 }

/** The text would take too much memory once parsed. `status` is the HTTP status of Express's answer. */
export class JsonUnbounded extends PawlError {
  readonly code: 'json_too_deep' | 'json_too_many_values'
  readonly status = 400

  constructor(code: JsonUnbounded['code'], { maxDepth, maxValues }: JsonBounds) {
    super(
      code === 'json_too_deep'
        ? `The JSON has more than ${maxDepth} nested lists and objects.`
        : `The JSON has more than ${maxValues} fields and elements.`,
    )
    this.code = code
  }
}

const code = { quote: 34, comma: 44, backslash: 92, list: 91, listEnd: 93, object: 123, objectEnd: 125 }

/** Counts fields and elements before they take memory; meaningless for a text that is not JSON. Throws `JsonUnbounded`. */
export function countValues(text: string, bounds: JsonBounds): number {
  const { length } = text
  let depth = 0
  let values = 0
  for (let at = 0; at < length; at += 1) {
    const character = text.charCodeAt(at)
    if (character === code.quote) at = endOfString(text, at + 1)
    else if (character === code.comma) values += 1
    else if (character === code.list || character === code.object) {
      values += 1
      depth += 1
      if (depth > bounds.maxDepth) throw new JsonUnbounded('json_too_deep', bounds)
    } else if (character === code.listEnd || character === code.objectEnd) depth -= 1
    if (values > bounds.maxValues) throw new JsonUnbounded('json_too_many_values', bounds)
  }
  return values
}

/** Position of the quote that ends a string, or the end of the text. Twice as fast as a loop over characters. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let start = quote
    while (start > from && text.charCodeAt(start - 1) === code.backslash) start -= 1
    // An odd number of backslashes escapes the quote.
    if ((quote - start) % 2 === 0) return quote
  }
  return text.length
}

/** Parses JSON within bounds. Throws `SyntaxError`, `JsonUnbounded`. */
export function parseBounded(text: string, bounds = answerBounds): unknown {
  countValues(text, bounds)
  return JSON.parse(text)
}

/** Like `parseBounded`, but `undefined` for invalid JSON or beyond the bounds. */
export function parseJson(text: string): unknown {
  try {
    return parseBounded(text)
  } catch {
    return undefined
  }
}

/** The `verify` option of `express.json`. Throws `JsonUnbounded`. */
export function verifyBounds(_req: unknown, _res: unknown, body: Buffer): void {
  countValues(body.toString(), answerBounds)
}
