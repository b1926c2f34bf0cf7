import { z } from 'zod'
import { faultsOf } from 'pawl-client/schemas/faults'
import { validationRefusal } from './refusal.ts'
import { refuseOtherContentType } from './validate.ts'

/** Parses a control's input; throws a 422 `Refusal` that names every fault, and the legal fields in place of an unknown one. */
export function readControl<T extends z.ZodType>(schema: T, input: unknown, root = 'body'): z.infer<T> {
  refuseOtherContentType(input)
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const faults = faultsOf(parsed.error, input, root).map((fault) =>
    fault.type === 'extra_forbidden' ? { ...fault, msg: unknownField(schema, fault.loc.slice(1, -1)) } : fault,
  )
  throw validationRefusal(faults)
}

function unknownField(schema: z.ZodType, path: readonly string[]): string {
  const names = fieldsAt(schema, path)
  return names.length === 0 ? 'No such field' : `No such field; use one of: ${names.join(', ')}`
}

/** Fields of the object at a path of the schema's input; empty for other types, or an object with any fields. */
export function fieldsAt(schema: z.ZodType, path: readonly string[]): string[] {
  return namesAt(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), path)
}

type JsonSchema = z.core.JSONSchema.JSONSchema

/** Fields of the object at a path, over all its alternatives. */
function namesAt(schema: JsonSchema, path: readonly string[]): string[] {
  const forms = (schema.anyOf ?? schema.oneOf ?? []).flatMap((form) => namesAt(form, path))
  const [step, ...rest] = path
  if (step === undefined) {
    const keys = typeof schema.propertyNames === 'object' ? schema.propertyNames.enum : undefined
    return [...new Set([...(keys ?? Object.keys(schema.properties ?? {})).map(String), ...forms])]
  }
  const inner = Array.isArray(schema.items) ? undefined : schema.items
  const next = schema.properties?.[step] ?? inner
  return typeof next === 'object' ? [...namesAt(next, rest), ...forms] : forms
}
