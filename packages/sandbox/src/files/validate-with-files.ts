import type { z } from 'zod'
import { faultsOf } from 'pawl-client/schemas/faults'
import { validationRefusal } from '../platform/refusal.ts'
import { refuseOtherContentType } from '../platform/validate.ts'
import { type FileRules, fileFaults } from './request-files.ts'

/** Like `validate`, for a request with files: a 422 names faults of files and schema together. */
export async function validateWithFiles<T extends z.ZodType>(
  schema: T,
  body: unknown,
  rules: FileRules,
): Promise<z.infer<T>> {
  refuseOtherContentType(body)
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const faults = faultsOf(parsed.error, body)
  const isKnown = new Set(faults.map(({ loc }) => loc.join('\n')))
  const others = (await fileFaults(body, rules)).filter(({ loc }) => !isKnown.has(loc.join('\n')))
  throw validationRefusal([...faults, ...others])
}
