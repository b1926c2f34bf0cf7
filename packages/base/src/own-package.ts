import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const Package = z.object({ name: z.string(), version: z.string() })

/** Folder and version of the package that publishes this code, whether it runs from sources or from a build. */
export function ownPackage(): { folder: string; version: string } {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const path = join(folder, 'package.json')
    if (!existsSync(path)) continue
    const { name, version } = Package.parse(JSON.parse(readFileSync(path, 'utf8')))
    // In the sources, a workspace package is part of the package around it.
    if (!name.startsWith('@pawl/')) return { folder, version }
  }
}
