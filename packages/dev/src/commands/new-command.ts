import { askOnTerminal } from '@pawl/console/commands/ask-on-terminal'
import type { Command } from 'commander'
import { checkedName } from '../new/checked-name.ts'
import { NewRefused } from '../new/source.ts'
import { findPlace, type Place, readTemplates, writeConnector, writeHandler } from '../new/write-new.ts'
import type { Print } from '@pawl/console/commands/output'

const help = `
On a terminal, it prompts for missing arguments. It overwrites no file except that of the integration, which gets the entry.

Exits with 0; 1 when nothing was written, with the reason.`

/** Default template of a handler. */
const smallest = 'blank'

interface NewDeps {
  print: Print
  /** Default: the project around the working folder, or the checkout that this command belongs to. */
  place?: Place
  /** Prompts the user; absent without a terminal. */
  prompt?: ((question: string) => Promise<string>) | undefined
}

/** Adds `new handler` and `new connector`. */
export function addNewCommand(
  program: Command,
  { print, place: given, prompt = process.stdin.isTTY ? askOnTerminal : undefined }: NewDeps,
): void {
  const command = program.command('new').description('create a handler or a connector of your own')
  const finish = ({ isProject }: Place, written: readonly string[]) => {
    for (const path of written) print(`${path === written[0] ? 'edited ' : 'written'} ${path}`)
    print(`Next: npx vitest run ${written.at(-1)}`)
    print(`      npm ${isProject ? 'test' : 'run check'}`)
  }
  command
    .command('handler [template] [name]')
    .description(
      'copy a handler of templates/ with its test, replacing the shipped one; a name alone copies the smallest',
    )
    .addHelpText('after', help)
    .action(async (...words: (string | undefined)[]) => {
      const place = given ?? findPlace()
      const templates = await readTemplates(place)
      // A single argument other than a template is the name.
      const [givenTemplate, givenName] =
        words[0] !== undefined && words[1] === undefined && !templates.includes(words[0]) ? [smallest, words[0]] : words
      const entered =
        givenTemplate ?? (await prompt?.(`Template (${templates.join(', ')}; none: ${smallest})? `))?.trim()
      const template = entered === undefined || entered === '' ? smallest : entered
      if (!templates.includes(template))
        throw new NewRefused(
          `There is no template ${template}: use one of ${templates.join(', ')}.${place.isProject ? ' Handlers that pawl ships are exports of pawl/templates.' : ''}`,
        )
      const name = checkedName(givenName ?? (await required('name', prompt, 'Name, such as our-chart? ')))
      finish(place, await writeHandler(place, { template, name }))
    })
  command
    .command('connector [name]')
    .description('create a connector to an HTTP system of yours, with its test and its setting')
    .addHelpText('after', help)
    .action(async (givenName?: string) => {
      const place = given ?? findPlace()
      const name = checkedName(givenName ?? (await required('name', prompt, 'Name of the system, such as billing? ')))
      finish(place, await writeConnector(place, name))
    })
}

async function required(argument: string, prompt: NewDeps['prompt'], question: string): Promise<string> {
  const answer = (await prompt?.(question))?.trim() ?? ''
  if (answer === '') throw new NewRefused(`Pass the argument ${argument}: see --help.`)
  return answer
}
