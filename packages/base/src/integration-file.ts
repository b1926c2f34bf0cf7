import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { z } from 'zod'
import { ConfigInvalid } from './errors.ts'

const Manifest = z.looseObject({ pawl: z.looseObject({ integration: z.string() }) })

/** The path of the integration's module: `pawl.integration` in the nearest package.json at or above `folder`, which Node uses too. Undefined without that entry. Throws `ConfigInvalid` if package.json is not JSON. */
export function findIntegration(folder = process.cwd()): string | undefined {
  const project = nearestPackage(folder)
  if (project === undefined) return undefined
  const { data } = Manifest.safeParse(readJson(join(project, 'package.json')))
  return data && join(project, data.pawl.integration)
}

/** The module that `findIntegration` finds. Throws `ConfigInvalid` if it was not built. */
export function builtIntegration(folder?: string): string | undefined {
  const path = findIntegration(folder)
  if (path !== undefined && !existsSync(path))
    throw new ConfigInvalid(`${path} does not exist, which package.json names: build it first.`)
  return path
}

/** The folder of the nearest package.json at or above `folder`. */
export function nearestPackage(folder: string): string | undefined {
  if (existsSync(join(folder, 'package.json'))) return folder
  return dirname(folder) === folder ? undefined : nearestPackage(dirname(folder))
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new ConfigInvalid(`${path} cannot be read as JSON: correct it.`, { cause })
  }
}

/** The integration's file as messages show it, relative to `folder`: a project's source, if it exists, rather than its build output. */
export function integrationFile(folder = process.cwd()): string {
  const module = findIntegration(folder)
  if (module === undefined) return 'src/integration/index.ts'
  const named = relative(folder, module)
  const source = named.replace(/(^|\/)dist\//, '$1src/').replace(/\.js$/, '.ts')
  return existsSync(join(folder, source)) ? source : named
}
