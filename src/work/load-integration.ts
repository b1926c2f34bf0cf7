import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { ConfigInvalid } from '@pawl/base/errors'
import { builtIntegration } from '@pawl/base/integration-file'
import type { AnyIntegration } from './integration.ts'

const Declared = z.looseObject({
  default: z.custom<AnyIntegration>(
    (value) => z.looseObject({ handlers: z.array(z.unknown()) }).safeParse(value).success,
  ),
})

/** Loads the integration that `builtIntegration` finds from `folder`; without one, that of this checkout or package. Throws `ConfigInvalid`. */
export async function loadIntegration(folder?: string): Promise<AnyIntegration> {
  const path = builtIntegration(folder)
  // Imported lazily: handlers and connectors load slowly.
  if (path === undefined) return (await import('../integration/index.ts')).default
  const { data } = Declared.safeParse(await import(pathToFileURL(path).href))
  if (data === undefined) throw new ConfigInvalid(`${path} must have a default export, made by defineIntegration.`)
  return data.default
}
