import { basename, dirname, join } from 'node:path'
import { findIntegration, integrationFile, nearestPackage } from './integration-file.ts'
import { ownPackage } from './own-package.ts'

/** Whether this code is an installed package, and no checkout. */
export function isInstalled(): boolean {
  return basename(dirname(ownPackage().folder)) === 'node_modules'
}

/** The folder of the project that has pawl as a dependency; undefined in a checkout of pawl. Throws `ConfigInvalid` where package.json is not JSON. */
export function projectFolder(folder = process.cwd()): string | undefined {
  return isInstalled() && findIntegration(folder) !== undefined ? nearestPackage(folder) : undefined
}

/** The folder that a developer works in: the project, or the checkout of this code. */
export function workFolder(): string {
  return projectFolder() ?? ownPackage().folder
}

/** The path of the integration that a process in `folder` loads, or that it is the one that comes with the package. Throws `ConfigInvalid` where package.json is not JSON. */
export function describeIntegration(folder = process.cwd()): string {
  const path = findIntegration(folder)
  if (path !== undefined) return path
  return isInstalled() ? 'the one that pawl ships' : join(ownPackage().folder, integrationFile(folder))
}

/** How commands are called where this code runs. */
export function pawlCommand(): string {
  return projectFolder() === undefined ? 'npm run pawl --' : 'npx pawl'
}
