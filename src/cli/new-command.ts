import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { NewRefused } from './new/source.ts'
import { assertCheckout, readTemplates, writeConnector, writeHandler } from './new/write-new.ts'
import type { Print } from './output.ts'

const help = `
What is not given is asked for on a terminal. Nothing that is there is written over, except src/integration/index.ts, which gets the entry.

Exits with 0; 1 when nothing was written, with the reason.`

/** The template that a handler begins with unless another is named. */
const smallest = 'blank'

interface NewDeps {
  print: Print
  /** The checkout. Default: the one that this command is part of. */
  root?: string
  /** Puts a question to whoever runs the command; absent where nobody sits there. */
  ask?: ((question: string) => Promise<string>) | undefined
}

/** Adds `new handler` and `new connector`, which write what a fork begins with. */
export function addNewCommand(program: Command, { print, root = ownRoot(), ask = askOnTerminal() }: NewDeps): void {
  const command = program.command('new').description('write a handler or a connector of your own to begin with')
  const finish = (written: readonly string[]) => {
    for (const path of written) print(`${path === written[0] ? 'edited ' : 'written'} ${path}`)
    print(`Next: npx vitest run ${written.at(-1)}`)
    print('      npm run check')
  }
  command
    .command('handler [template] [name]')
    .description(
      'copy a handler of templates/ with its test, to be changed, in place of the shipped one; alone, a name begins with the smallest',
    )
    .addHelpText('after', help)
    .action(async (...given: (string | undefined)[]) => {
      assertCheckout(root)
      const templates = await readTemplates(root)
      // A single argument that is no template is the name.
      const [givenTemplate, givenName] =
        given[0] !== undefined && given[1] === undefined && !templates.includes(given[0]) ? [smallest, given[0]] : given
      const asked = givenTemplate ?? (await ask?.(`Template (${templates.join(', ')}; none: ${smallest})? `))?.trim()
      const template = asked === undefined || asked === '' ? smallest : asked
      if (!templates.includes(template))
        throw new NewRefused(`There is no template ${template}: take one of ${templates.join(', ')}.`)
      const name = checkedName(givenName ?? (await required('name', ask, 'Name, such as our-chart? ')))
      finish(await writeHandler(root, { template, name }))
    })
  command
    .command('connector [name]')
    .description('write a connector to a system of yours that talks HTTP, with its test and its setting')
    .addHelpText('after', help)
    .action(async (givenName?: string) => {
      assertCheckout(root)
      const name = checkedName(givenName ?? (await required('name', ask, 'Name of the system, such as billing? ')))
      finish(await writeConnector(root, name))
    })
}

async function required(argument: string, ask: NewDeps['ask'], question: string): Promise<string> {
  const answer = (await ask?.(question))?.trim() ?? ''
  if (answer === '') throw new NewRefused(`Give the argument ${argument}: see --help.`)
  return answer
}

/** It becomes a file's name, a handler's or system's, and an identifier. */
function checkedName(name: string): string {
  if (!/^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/.test(name) || name.length > 32)
    throw new NewRefused(`${name} is no name: use up to 32 small letters, digits and single hyphens, a letter first.`)
  return name
}

function ownRoot(): string {
  return fileURLToPath(new URL('../..', import.meta.url))
}

function askOnTerminal(): NewDeps['ask'] {
  if (!process.stdin.isTTY) return undefined
  return async (question) => {
    const terminal = createInterface({ input: process.stdin, output: process.stdout })
    try {
      return await terminal.question(question)
    } finally {
      terminal.close()
    }
  }
}
