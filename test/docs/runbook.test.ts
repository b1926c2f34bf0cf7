import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { describeAlert } from '../../packages/console/src/alerts/describe-alert.ts'
import { createProgram } from '../../src/cli/program.ts'
import priorAuthorizationToEhr from '../../templates/prior-authorization-to-ehr/handler.ts'
import { readPage } from './readme-examples.ts'

const page = await readPage('docs/runbook.md')
const handlerName = priorAuthorizationToEhr.name
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

it('alerts are titled as the page says', () => {
  const titleOf = (kind: Parameters<typeof describeAlert>[0]['kind'], subject: string, level = 0) =>
    describeAlert({ kind, subject, level, count: 500 }, () => '').title
  const work = `${handlerName} unexpected`
  expect(page).toContain(`\`${titleOf('away', 'ehr')}\``)
  expect(page).toContain(`\`${titleOf('away', 'api')}\``)
  expect(page).toContain(`\`${titleOf('work', work, 100)}\``)
  for (const [kind, subject] of [
    ['refused', 'token_invalid'],
    ['oldest_due', ''],
    ['backup', ''],
  ] as const)
    expect(page).toContain(`\`${titleOf(kind, subject).replace('500', '…')}\``)
})
