import { existsSync } from 'node:fs'
import { dropEmptyZone } from './process-settings.ts'

// Loaded before a program of package.json: Node's own --env-file-if-exists prints a line where there is no file.
if (existsSync('.env')) process.loadEnvFile('.env')
dropEmptyZone(process.env)
