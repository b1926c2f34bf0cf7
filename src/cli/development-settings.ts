import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { workFolder } from '@pawl/base/project-folder'

/** Folder for all files of the development environment; below data/, which git ignores. */
export const devFolder = 'data/dev'
/** Settings of the run, for other terminals; deleted when it ends. */
export const devSettingsFile = `${devFolder}/.env`

/** Settings file of the `npm run dev` running in this checkout or project; exists while it runs. */
export function developmentSettingsPath(): string {
  return join(workFolder(), devSettingsFile)
}

/** Fills in missing settings from the `npm run dev` running in this checkout, so that commands use the same ones. Returns whether one runs. */
export function takeDevelopmentSettings(env: NodeJS.ProcessEnv, path = developmentSettingsPath()): boolean {
  if (!existsSync(path)) return false
  for (const [name, value] of Object.entries(parseEnv(readFileSync(path, 'utf8')))) env[name] ??= value
  return true
}
