import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { devSettingsFile } from './dev/dev-settings.ts'

/** Where the settings are of the `npm run dev` that runs in this checkout; there while it runs. */
export function developmentSettingsPath(): string {
  return join(fileURLToPath(new URL('../..', import.meta.url)), devSettingsFile)
}

/** Takes what is not set from the `npm run dev` that runs in this checkout, so that a command sees what that sees; resolves with whether there is one. */
export function takeDevelopmentSettings(env: NodeJS.ProcessEnv, path = developmentSettingsPath()): boolean {
  if (!existsSync(path)) return false
  for (const [name, value] of Object.entries(parseEnv(readFileSync(path, 'utf8')))) env[name] ??= value
  return true
}
