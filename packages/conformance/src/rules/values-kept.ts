import { parseJson } from '@pawl/base/parse-json'
import { decoded } from '../canary-search.ts'
import type { Call } from '@pawl/testing/lines/line'
import type { Observations } from '../observations.ts'
import { dayAfter, formsOf, isIn, namesDay } from './written-days.ts'
import { isCutShort } from './escaped-texts.ts'
import { inventedDays } from './invented-days.ts'
import { passUnless, type Rule } from './rule.ts'
import { textsOf } from './stale-records.ts'

/** Dates and numbers of a resource reach other systems as the service gives them. */
export const valuesKept: Rule = {
  id: 'values-kept',
  title: 'Dates and numbers as the service gives them',
  judge(seen) {
    const { calls, portCalls, runOf, labels } = seen
    const sent = [
      ...calls.flatMap((call) => {
        const run = runOf(call)
        return run === undefined || call.method === 'GET'
          ? []
          : [{ run, text: call.body, broken: brokenIn(call, seen.valuesOf.get(run.resource) ?? noValues) }]
      }),
      ...portCalls.map(({ run, args }) => ({ run, text: JSON.stringify(args), broken: [] })),
    ]
    return passUnless([
      ...inventedDays(seen),
      ...sent.flatMap(({ run, text, broken }) =>
        [
          ...broken,
          ...withoutLeadingZero(text),
          ...withoutLastDigit(text, seen.valuesOf.get(run.resource) ?? noValues),
          ...dayOff(text, seen.valuesOf.get(run.resource) ?? noValues),
        ].map((what) => `${labels.get(run.resource)}: ${run.handler} sent ${what}`),
      ),
    ])
  },
}

/** Content that does not parse as its type: invalid JSON, or a text of the resource with unescaped delimiters. */
function brokenIn(call: Call, { text }: Values): string[] {
  const { headers, body } = call
  const isJson = body !== '' && /\bjson\b/.test(headers['content-type'] ?? '')
  if (isJson && parseJson(body) === undefined) return ['invalid JSON, as from unescaped quotes or line breaks']
  return isCutShort(call, text) ? ['a text with unescaped signs, such as &'] : []
}

type Values = NonNullable<ReturnType<Observations['valuesOf']['get']>>

const noValues: Values = { days: [], born: undefined, text: '' }

/** Finds the numbers of the run's pharmacy and plan without their leading zero. */
function withoutLeadingZero(text: string): string[] {
  const found = /(?<![\w.-])(?:123456|10011)(?![\w-]|\.\d)/.test(`${text}\n${decoded(text)}`)
  return found ? ['a number without its leading zero'] : []
}

/** Finds an amount of money with a single digit of cents, which reads as ten times as much. */
function withoutLastDigit(text: string, { text: given }: Values): string[] {
  const amounts = `${text}\n${decoded(text)}`.match(/\$\d[\d,]*\.\d(?!\d)/g) ?? []
  return amounts.some((amount) => !isIn(given, amount))
    ? ['an amount of money without the last digit of its cents']
    : []
}

/** Finds a birth date that is a day off, or a first or last day by the name of its field, or several other dates: a single one may be intended, such as for a reminder. */
function dayOff(text: string, { days, born }: Values): string[] {
  const said = `${text}\n${decoded(text)}`.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?/g, '')
  const others = new Set([...days, ...(born === undefined ? [] : [born])])
  const isOff = (day: string) =>
    [-1, 1].some((by) => {
      const other = dayAfter(day, by)
      if (others.has(other)) return false
      const right = formsOf(day)
      return formsOf(other).some((form, at) => isIn(said, form) && !isIn(said, right[at] ?? form))
    })
  if (born !== undefined && isOff(born)) return ['a birth date that is a day off']
  const beside = days.flatMap((day) => [dayAfter(day, -1), dayAfter(day, 1)])
  const near = beside.filter((day) => !others.has(day) && namesDay(said, day))
  const fields = near.length === 0 ? [] : [...textsOf(parseJson(text))]
  const isWrong = ([path, value]: [string, string]) =>
    namesEnd.test(path) && !isAround.test(path) && near.some((day) => formsOf(day).includes(value.trim()))
  if (fields.some(isWrong)) return ['a first or last day that is a day off']
  if (days.some((day) => isOff(day) && isSaidToEnd(said, day))) return ['a last day that is a day off']
  return days.filter(isOff).length > 1 ? ['dates that are all one day off'] : []
}

/** A field that holds a first or a last day. */
const namesEnd = /expir|until|valid|through|(?:^|[._-])(?:end|start|begin|from)|(?:End|Start|Begin|From)(?![a-z])/
/** A field that may hold a day nearby. */
const isAround = /remind|renew|review|follow|before|after/i

/** Whether the text says, without another reading, that the day before is the last one. */
function isSaidToEnd(text: string, day: string): boolean {
  return formsOf(dayAfter(day, -1)).some((form) =>
    new RegExp(`\\b(?:ends?|expires?|valid (?:until|through|to))(?: on)? ${form.replaceAll('.', '\\.')}`, 'i').test(
      text,
    ),
  )
}
