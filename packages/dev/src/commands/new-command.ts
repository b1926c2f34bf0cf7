import { fileURLToPath } from 'node:url'
import { askOnTerminal } from '@pawl/console/commands/ask-on-terminal'
import type { Command } from 'commander'
import { NewRefused } from '../new/source.ts'
import { assertCheckout, readTemplates, writeConnector, writeHandler } from '../new/write-new.ts'
import type { Print } from '@pawl/console/commands/output'

const help = `
Missing arguments are asked for on a terminal. No existing file is overwritten, except src/integration/index.ts, which gets the entry.

Exits with 0; 1 when nothing was written, with the reason.`

/** Default template of a handler. */
const smallest = 'blank'

interface NewDeps {
  print: Print
  /** The checkout. Default: the one this command belongs to. */
  root?: string
  /** Asks the user a question; absent without a terminal. */
  ask?: ((question: string) => Promise<string>) | undefined
}

/** Adds `new handler` and `new connector`. */
export function addNewCommand(
  program: Command,
  { print, root = ownRoot(), ask = process.stdin.isTTY ? askOnTerminal : undefined }: NewDeps,
): void {
  const command = program.command('new').description('create a handler or a connector of your own')
  const finish = (written: readonly string[]) => {
    for (const path of written) print(`${path === written[0] ? 'edited ' : 'written'} ${path}`)
    print(`Next: npx vitest run ${written.at(-1)}`)
    print('      npm run check')
  }
  command
    .command('handler [template] [name]')
    .description(
      'copy a handler of templates/ with its test, in place of the shipped one; a name alone copies the smallest',
    )
    .addHelpText('after', help)
    .action(async (...given: (string | undefined)[]) => {
      assertCheckout(root)
      const templates = await readTemplates(root)
      // A single argument other than a template is the name.
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
    .description('create a connector to an HTTP system of yours, with its test and its setting')
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

/** The name is used for the file, for the handler or system, and as an identifier. */
export function checkedName(name: string): string {
  if (!/^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/.test(name) || name.length > 32)
    throw new NewRefused(
      `${name} is not a valid name: use up to 32 lowercase letters, digits and single hyphens, starting with a letter.`,
    )
  return name
}

function ownRoot(): string {
  return fileURLToPath(new URL('../../../..', import.meta.url))
}
