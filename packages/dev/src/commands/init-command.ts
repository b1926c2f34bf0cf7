import { basename, resolve } from 'node:path'
import type { Command } from 'commander'
import { isInstalled } from '@pawl/base/project-folder'
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
    .argument('<folder>', 'its folder, which must not exist, such as ../my-gateway')
    .addHelpText('after', help)
    .action(async (path: string) => {
      if (!isInstalled()) print('packing pawl, which compiles it: a minute or so')
      await writeProject(resolve(path))
      print(`written ${basename(resolve(path))}`)
      print(`Next: cd ${path} && npm install && npm test`)
      print('      See its README.md for the rest.')
    })
}
