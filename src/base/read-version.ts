import { createRequire } from 'node:module'
import { z } from 'zod'

const Package = z.object({ version: z.string() })

/** The version that the package's own package.json states, whether the sources run or what was built from them. */
export function readVersion(): string {
  return Package.parse(createRequire(import.meta.url)('#package.json')).version
}
