import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ruleTitles } from '../src/judge-steps.ts'
import { Step } from '../src/steps.ts'

const page = readFileSync(new URL('../../../docs/conformance.md', import.meta.url), 'utf8')

it('the page of the conformance run explains every rule under its id, in the order in which they are judged', () => {
  const explained = [...page.matchAll(/^### (.+)$/gm)].map(([, id]) => id)
  expect(explained).toEqual([...ruleTitles.keys()])
})

it('the page names every step', () => {
  const names = Step.options.map(({ shape }) => shape.do.value)
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})
