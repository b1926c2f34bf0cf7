import type { Command } from 'commander'
import { checkedName } from './new-command.ts'
import { writeProject } from '../new/write-project.ts'
import type { Print } from '@pawl/console/commands/output'

const help = `
The project has one integration file with a handler, its test, settings, a Dockerfile and a CI workflow. pawl is its dependency: an upgrade is a new version of it. docs/forking.md says when a fork is the better choice.

Exits with 0; 1 when nothing was written, with the reason.`

/** Adds `init`, which creates a project that uses pawl without a fork. */
export function addInitCommand(program: Command, { print }: { print: Print }): void {
  program
    .command('init')
    .description('create a gateway as a project of its own, with pawl as a dependency')
    .argument('<name>', 'its folder, which must not exist')
    .addHelpText('after', help)
    .action(async (name: string) => {
      await writeProject(process.cwd(), checkedName(name))
      print(`written ${name}`)
      print(`Next: cd ${name} && npm install && npm test`)
      print('      See its README.md for the rest.')
    })
}
