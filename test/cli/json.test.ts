import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'

/** Commands whose output is not a set of facts, and what it is. */
const exceptions: Record<string, string> = {
  'audit export': 'is JSON lines or FHIR by --format',
  init: 'writes files',
  run: 'is the gateway, with its log',
  'new handler': 'writes files, and asks',
  'new connector': 'writes files, and asks',
  'ledger backup': 'writes a file',
  'ledger copy': 'writes a ledger, and tells how far it is',
  'keys new-fhir': 'writes a file, and says what to do with it',
  'pharmacy schema': 'prints a statement for a database',
  conformance: 'writes JUnit XML by --junit',
  play: 'is for the development environment of a person',
  'users hash': 'prints the JSON of a setting',
}

function commandsOf(command: Command, path: readonly string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[path.join(' '), command]]
  return command.commands.flatMap((each) => commandsOf(each, [...path, each.name()]))
}

it('every command is there when it alone is asked for', async () => {
  const deps = { ask: () => Promise.reject(new Error('not asked')), print() {}, end: () => process.exit() }
  const all = (await createProgram(deps)).commands.map((command) => command.name())
  expect(all.length).toBeGreaterThan(30)
  for (const name of all)
    expect((await createProgram(deps, name)).commands.map((command) => command.name())).toContain(name)
  expect((await createProgram(deps, 'status')).commands).toHaveLength(1)
  expect((await createProgram(deps, 'statuss')).commands).toHaveLength(all.length)
})

it('every command that prints facts prints them as JSON, too, and says so in its help', async () => {
  const program = await createProgram({
    ask: () => Promise.reject(new Error('nobody is asked')),
    print() {},
    end(error) {
      throw error
    },
  })
  const without = commandsOf(program).filter(([, command]) => !command.options.some(({ long }) => long === '--json'))
  expect(without.map(([name]) => name).toSorted()).toEqual(Object.keys(exceptions).toSorted())
  for (const [name, command] of commandsOf(program))
    if (!(name in exceptions)) expect(command.helpInformation(), name).toMatch(/--json\s+.*JSON/)
})
