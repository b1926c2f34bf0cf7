import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { Argument, type Command } from 'commander'
import { DevRefused } from '@pawl/testing/dev-refused'
import { plays, type Play } from '../play/play-names.ts'
import { developmentSettingsPath } from '../../../../src/cli/development-settings.ts'
import type { Print } from '@pawl/console/commands/output'

const help = `
Creates it in the sandbox of the development environment running in this checkout (npm run dev), and nowhere else.

Exits with 0; 1 when there is none, or it refuses.`

/** Adds `play`, which creates a PA or BV in the sandbox of `npm run dev`. */
export function addPlayCommand(program: Command, { print }: { print: Print }): void {
  program
    .command('play')
    .description('create a first PA or BV in the development environment (npm run dev)')
    .addArgument(new Argument('[what]', 'a prior authorization or a benefit verification').choices(plays).default('pa'))
    .addHelpText('after', help)
    .action(async (what: Play) => {
      const { play } = await import('../play/play.ts')
      print(`Created ${await play(what, readSandbox())}.`)
    })
}

function readSandbox(): { url: string; token: string } {
  const path = developmentSettingsPath()
  if (!existsSync(path)) throw new DevRefused('No development environment runs here: start it with npm run dev.')
  const { API_BASE_URL: url, API_TOKEN: token } = parseEnv(readFileSync(path, 'utf8'))
  if (url === undefined || token === undefined)
    throw new DevRefused('The development environment runs without a sandbox, as .env names a service.')
  return { url, token }
}
