import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { readPage } from './readme-examples.ts'

const page = await readPage('docs/runbook.md')
const wordsOf = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain)

it('every command that the page names exists, with its options', async () => {
  const program = await createProgram({
    ask: () => Promise.reject(new Error('not asked')),
    print: () => {},
    end: () => process.exit(),
  })
  const shown = [...page.matchAll(/^(pawl .*)$|`(pawl [^`]*)`/gm)].map(([, line, inline = '']) => line ?? inline)
  expect(shown.length).toBeGreaterThan(30)
  for (const line of shown) {
    const words = wordsOf(line).slice(1)
    let command: Command = program
    for (const word of words) command = command.commands.find((each) => each.name() === word) ?? command
    expect(command, line).not.toBe(program)
    const known = command.options.map(({ long }) => long)
    expect(
      words.filter((word) => word.startsWith('--') && !known.includes(word)),
      line,
    ).toEqual([])
  }
})
