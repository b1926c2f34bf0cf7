import { createRequire } from 'node:module'
import { PawlError } from './errors.ts'

/** Packages that only some settings need; operators install them with those settings. */
export type OptionalPackage =
  | 'mysql2'
  | 'node-hl7-client'
  | 'nodemailer'
  | 'open-sans-fonts'
  | 'pdfkit'
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

/** The PDF writer and its font. */
export const pdfPackages = ['pdfkit', 'open-sans-fonts'] as const

const { resolve } = createRequire(import.meta.url)

/** One sentence that names the setting, its missing packages and how to install them; undefined if none is missing. */
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
    // An installed package may not support `require`.
    return !(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')
  }
}

export class PackageMissing extends PawlError {
  readonly code = 'package_missing'
}

/** Throws `PackageMissing` if `setting` needs a package that is not installed. */
export function assertInstalled(setting: string, packages: readonly OptionalPackage[]): void {
  const missing = findMissing(setting, packages)
  if (missing !== undefined) throw new PackageMissing(`${missing}.`)
}
