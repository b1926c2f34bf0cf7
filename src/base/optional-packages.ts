import { createRequire } from 'node:module'
import { PawlError } from './errors.ts'

/** Packages that only some settings need: whoever sets those installs them. */
export type OptionalPackage =
  | 'mysql2'
  | 'nodemailer'
  | 'ssh2-sftp-client'
  | '@opentelemetry/exporter-trace-otlp-http'
  | '@opentelemetry/resources'
  | '@opentelemetry/sdk-trace-node'

/** The packages of OpenTelemetry that send traces. */
export const tracingPackages = [
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-node',
] as const

const { resolve } = createRequire(import.meta.url)

/** Which of the packages that `setting` needs is not installed, and how to install it, in one sentence that begins with the setting; undefined where none is missing. */
export function findMissing(setting: string, packages: readonly OptionalPackage[]): string | undefined {
  const missing = packages.filter((name) => !isInstalled(name))
  if (missing.length === 0) return undefined
  const names = missing.join(' ')
  return `${setting}: needs ${missing.length > 1 ? 'packages that are' : 'a package that is'} not installed: npm install ${names}`
}

function isInstalled(name: OptionalPackage): boolean {
  try {
    resolve(name)
    return true
  } catch (error) {
    // One that is there may have nothing for `require`.
    return !(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')
  }
}

/** An address needs a package that is not installed. */
export class PackageMissing extends PawlError {
  readonly code = 'package_missing'
}

/** Throws `PackageMissing` where `setting` needs a package that is not installed. */
export function assertInstalled(setting: string, packages: readonly OptionalPackage[]): void {
  const missing = findMissing(setting, packages)
  if (missing !== undefined) throw new PackageMissing(`${missing}.`)
}
