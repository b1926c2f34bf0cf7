export type BareItem = string | number | boolean

/** One member of a list with its parameters. Strings and tokens both read as strings. */
export interface Item {
  value: BareItem
  params: ReadonlyMap<string, BareItem>
}

const string = /"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/y
const number = /-?\d{1,15}(?:\.\d{1,3})?/y
const token = /[A-Za-z*][\w!#$%&'*+\-.^`|~:/]*/y
const boolean = /\?([01])/y
const key = /[a-z*][a-z0-9_\-.*]*/y
const comma = /[ \t]*,[ \t]*/y
const semicolon = /; */y

/**
 * Reads a structured-field list (RFC 9651, 3.1) of strings, tokens, numbers and booleans with parameters.
 * Undefined for anything else: by the RFC a field that does not parse is passed over as a whole.
 */
export function readList(field: string): Item[] | undefined {
  const text = field.replace(/^ +| +$/g, '')
  const items: Item[] = []
  let at = 0

  const eat = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  const bareItem = (): BareItem | undefined => {
    const quoted = eat(string)
    if (quoted !== null) return quoted[1]?.replace(/\\(.)/g, '$1')
    const digits = eat(number)
    if (digits !== null) return Number(digits[0])
    const flag = eat(boolean)
    if (flag !== null) return flag[1] === '1'
    return eat(token)?.[0]
  }
  const readParams = (): Map<string, BareItem> | undefined => {
    const params = new Map<string, BareItem>()
    while (eat(semicolon) !== null) {
      const name = eat(key)?.[0]
      if (name === undefined) return undefined
      const hasValue = text[at] === '='
      if (hasValue) at++
      const value = hasValue ? bareItem() : true
      if (value === undefined) return undefined
      params.set(name, value)
    }
    return params
  }

  while (at < text.length) {
    const value = bareItem()
    const params = value === undefined ? undefined : readParams()
    if (value === undefined || params === undefined) return undefined
    items.push({ value, params })
    if (at === text.length) return items
    if (eat(comma) === null || at === text.length) return undefined
  }
  return items
}
