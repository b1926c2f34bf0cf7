import { createRequire } from 'node:module'
import { z } from 'zod'

const Package = z.object({ version: z.string() })

/** The version in the package's own package.json, from the sources as from the build. */
export function readVersion(): string {
  return Package.parse(createRequire(import.meta.url)('#package.json')).version
}
