import { basename, dirname } from 'node:path'
import { findIntegration, nearestPackage } from './integration-file.ts'
import { ownPackage } from './own-package.ts'

/** The folder of the project that has pawl as a dependency; undefined in a checkout of pawl. Throws `ConfigInvalid` where package.json is not JSON. */
export function projectFolder(folder = process.cwd()): string | undefined {
  const { folder: own } = ownPackage()
  const isPackage = basename(dirname(own)) === 'node_modules'
  return isPackage && findIntegration(folder) !== undefined ? nearestPackage(folder) : undefined
}

/** How commands are called where this code runs. */
export function pawlCommand(): string {
  return projectFolder() === undefined ? 'npm run pawl --' : 'npx pawl'
}
