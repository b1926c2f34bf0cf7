#!/usr/bin/env node
import '../settings/load-env-file.ts'
import { ConfigInvalid, PawlError } from '../base/errors.ts'
import { readAdminAddress } from '../settings/read-for-commands.ts'
import { readActorName } from './actor-name.ts'
import { createAdminClient } from './admin-client.ts'
import { takeDevelopmentSettings } from './development-settings.ts'
import { endCommand } from './end-command.ts'
import { showHidden } from '../base/show-hidden.ts'
import { createProgram } from './program.ts'

// The reader of a pipe, such as head, may have closed it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

takeDevelopmentSettings(process.env)
const print = (line: string) => void process.stdout.write(`${showHidden(line)}\n`)
const ask = createAdminClient(() => readAdminAddress(process.env), readActorName())

try {
  await createProgram({ ask, print, end: endCommand }).parseAsync()
} catch (error) {
  if (!(error instanceof PawlError)) throw error
  process.stderr.write(`${showHidden(error.message)}\n`)
  process.exitCode = error instanceof ConfigInvalid ? 2 : 1
}
