#!/usr/bin/env node
import '../settings/load-env-file.ts'
import { styleText } from 'node:util'
import { ConfigInvalid, PawlError } from '@pawl/base/errors'
import { readAdminAddress } from '../settings/read-for-commands.ts'
import { readActorName } from './actor-name.ts'
import { createAdminClient } from '@pawl/console/commands/admin-client'
import { takeDevelopmentSettings } from './development-settings.ts'
import { endCommand } from './end-command.ts'
import { showHidden } from '@pawl/base/show-hidden'
import type { Print } from '@pawl/console/commands/output'
import { createProgram } from './program.ts'

// The reader of a pipe, such as head, may have closed it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

takeDevelopmentSettings(process.env)
// No colour in a pipe, with NO_COLOR, or on a terminal without.
const isColoured = process.stdout.isTTY && process.stdout.hasColors()
const colours = { bad: 'red', warn: 'yellow', wait: 'cyan', good: 'green' } as const
const print: Print = (line, tone) => {
  const text = showHidden(line, { isLine: true })
  process.stdout.write(`${isColoured && tone !== undefined ? styleText(colours[tone], text) : text}\n`)
}
const clear = () => void (process.stdout.isTTY && process.stdout.write('\x1b[H\x1b[2J\x1b[3J'))
const ask = createAdminClient(() => readAdminAddress(process.env), readActorName())

try {
  const program = await createProgram({ ask, print, clear, end: endCommand }, process.argv[2])
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof PawlError)) throw error
  process.stderr.write(`${showHidden(error.message)}\n`)
  process.exitCode = error instanceof ConfigInvalid ? 2 : 1
}
