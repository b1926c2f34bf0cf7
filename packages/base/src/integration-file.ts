import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { z } from 'zod'
import { ConfigInvalid } from './errors.ts'

const Manifest = z.looseObject({ pawl: z.looseObject({ integration: z.string() }) })

/** The integration's module that the project around `folder` names in its package.json as `pawl.integration`; undefined without such a project. Only the nearest package.json counts, as for Node. Throws `ConfigInvalid` if it is not JSON. */
export function findIntegration(folder = process.cwd()): string | undefined {
  const path = join(folder, 'package.json')
  if (!existsSync(path)) return dirname(folder) === folder ? undefined : findIntegration(dirname(folder))
  const { data } = Manifest.safeParse(readJson(path))
  return data && join(folder, data.pawl.integration)
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new ConfigInvalid(`${path} cannot be read as JSON: correct it.`, { cause })
  }
}

/** The file of the integration for messages, below the working folder: a project's source rather than what was built from it. */
export function integrationFile(folder = process.cwd()): string {
  const module = findIntegration(folder)
  if (module === undefined) return 'src/integration/index.ts'
  const named = relative(folder, module)
  const source = named.replace(/(^|\/)dist\//, '$1src/').replace(/\.js$/, '.ts')
  return existsSync(join(folder, source)) ? source : named
}
