import { existsSync } from 'node:fs'
import { dropEmptyZone } from './process-settings.ts'

// Replaces Node's own --env-file-if-exists, which prints a line if the file is missing.
if (existsSync('.env')) process.loadEnvFile('.env')
dropEmptyZone(process.env)
