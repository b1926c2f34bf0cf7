import { expect, it } from 'vitest'
import { z } from 'zod'
import { readPage } from './readme-examples.ts'

const page = await readPage('CONTRIBUTING.md')
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(await readPage('package.json')))

it('CONTRIBUTING names scripts that there are, and each that tests, attacks or measures pawl', () => {
  const named = [...page.matchAll(/`npm (?:run )?([\w:-]+)`/g)].map(([, name = '']) => name)
  expect(named.filter((name) => !(name in scripts))).toEqual([])
  const wanted = Object.keys(scripts).filter((name) => /^(test|check|format|fuzz|bench|kill|outage|conf)/.test(name))
  expect(wanted.filter((name) => !named.includes(name))).toEqual([])
})
