import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { ConfigInvalid } from '@pawl/base/errors'
import { findIntegration } from '@pawl/base/integration-file'
import type { AnyIntegration } from './integration.ts'

const Declared = z.looseObject({
  default: z.custom<AnyIntegration>(
    (value) => z.looseObject({ handlers: z.array(z.unknown()) }).safeParse(value).success,
  ),
})

/** The default export of the file that the project around `folder` names in its package.json as `pawl.integration`; without such a project, the integration of this checkout or package. Throws `ConfigInvalid`. */
export async function loadIntegration(folder?: string): Promise<AnyIntegration> {
  const path = findIntegration(folder)
  // Imported lazily: handlers and connectors load slowly.
  if (path === undefined) return (await import('../integration/index.ts')).default
  if (!existsSync(path)) throw new ConfigInvalid(`${path} does not exist, which package.json names: build it first.`)
  const { data } = Declared.safeParse(await import(pathToFileURL(path).href))
  if (data === undefined) throw new ConfigInvalid(`${path} must have a default export, made by defineIntegration.`)
  return data.default
}
