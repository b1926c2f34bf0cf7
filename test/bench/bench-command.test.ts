import { expect, it } from 'vitest'
import { createCommand, type Flags, selectScenarios } from '../../bench/command.ts'
import { bare } from '../../bench/contenders.ts'
import { numberOf, resourceIdOf } from '../../bench/envelopes.ts'
import type { Scenario } from '../../bench/scenario.ts'
import { scenarios } from '../../bench/scenarios.ts'

const scenario = (name: string, ...keys: string[]): Scenario => ({
  name,
  title: `About ${name}`,
  contenders: keys.map((key) => bare(key, `the ${key}`)),
  run: () => Promise.reject(new Error('It is not to run here.')),
})
const some = [scenario('first', 'one', 'two'), scenario('second', 'two', 'three'), scenario('third')]

/** The flags, and what was printed instead of a run. */
function parse(...args: string[]): { flags?: Flags; printed: string } {
  let printed = ''
  const write = (text: string) => void (printed += text)
  const command = createCommand(some).exitOverride().configureOutput({ writeOut: write, writeErr: write })
  try {
    return { flags: command.parse(args, { from: 'user' }).opts<Flags>(), printed }
  } catch {
    return { printed }
  }
}

const selected = (flags: Flags) => selectScenarios(some, flags).map(({ name }) => name)

it('runs all scenarios, one, or those that have a chosen contender', () => {
  expect(selected({})).toEqual(['first', 'second', 'third'])
  expect(selected({ only: 'third' })).toEqual(['third'])
  expect(selected({ contenders: ['one'] })).toEqual(['first'])
  expect(selected({ contenders: ['one', 'three'] })).toEqual(['first', 'second'])
  expect(selected({ only: 'third', contenders: ['one'] })).toEqual([])
})

it('takes contenders separated by commas', () => {
  expect(parse('--contenders', 'one, three', '--rounds', '2').flags).toEqual({
    contenders: ['one', 'three'],
    rounds: 2,
  })
})

it('refuses an unknown contender in one line, with the list', () => {
  const { flags, printed } = parse('--contenders', 'one,four')
  expect(flags).toBeUndefined()
  expect(printed.trimEnd().split('\n')).toEqual([
    expect.stringContaining('There is no contender "four"; there are one, two, three.'),
  ])
})

it('refuses an unknown scenario and a number of rounds that is none', () => {
  expect(parse('--only', 'fourth').printed).toContain('Allowed choices are first, second, third.')
  expect(parse('--rounds', '0').printed).toContain('It must be a whole number above 0.')
})

it('lists scenarios and contenders, each once', () => {
  const { printed } = parse('--help')
  for (const name of ['one', 'two', 'three'])
    expect(printed.match(new RegExp(`^  ${name} +the ${name}$`, 'gm'))).toHaveLength(1)
  for (const name of ['first', 'second', 'third']) expect(printed).toContain(`About ${name}`)
})

it('calls each contender by one key and one name in all scenarios', () => {
  const names = new Map<string, Set<string>>()
  for (const { key, name } of scenarios.flatMap(({ contenders = [] }) => contenders))
    names.set(key, (names.get(key) ?? new Set()).add(name))
  expect([...names].filter(([, each]) => each.size > 1)).toEqual([])
})

it('gives PAs scattered ids, from which the played service tells the number', () => {
  const ids = Array.from({ length: 100 }, (_, n) => resourceIdOf(n))
  expect(new Set(ids).size).toBe(100)
  expect(ids.toSorted()).not.toEqual(ids)
  expect(ids.map(numberOf)).toEqual(ids.map((_, n) => n))
  expect(numberOf('pa_req_1')).toBeNaN()
})
