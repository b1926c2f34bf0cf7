import { expect, it } from 'vitest'
import { sandboxStyle } from '../../sandbox/src/pages/sandbox-style.ts'
import { style } from '../src/pages/page-style.ts'

const rules = `${style}${sandboxStyle}`

/** What the rules say of these properties, without the names of the scale and figures that need none. */
function valuesOf(property: RegExp): string[] {
  const found = rules.matchAll(new RegExp(`(?<=[\\s;{])(?:${property.source}): ([^;}]+)`, 'g'))
  return [...found].flatMap(([, value = '']) => value.split(' ').filter((each) => /\d(?:rem|em|px)/.test(each)))
}

it('the pages have one scale of type, but for the texts in a chart, whose unit is its own', () => {
  expect(new Set(valuesOf(/font-size/))).toEqual(new Set(['14px', '22px']))
  expect(valuesOf(/font/)).toEqual([])
})

it('the pages have one scale of space', () => {
  expect(valuesOf(/(?:padding|margin|gap|row-gap|column-gap)(?:-\w+)?/)).toEqual([])
})

it('the pages are as complete in dark as in light', () => {
  const [light = '', dark = ''] = style.split('@media (prefers-color-scheme: dark)')
  const coloursOf = (css: string) => [...(css.split('\n}')[0] ?? '').matchAll(/(--[\w-]+): #/g)].map(([, name]) => name)
  expect(coloursOf(dark)).toEqual(coloursOf(light))
})
