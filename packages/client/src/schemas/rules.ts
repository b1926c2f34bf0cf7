import type { z } from 'zod'

/** Checks a rule over several fields even if single fields are at fault, so that a caller sees all faults at once. */
const whenObject = { when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null }

const present = (value: object, fields: readonly string[]) =>
  // The compiler cannot see that reading an unknown field of an object is safe: a missing one is undefined.
  fields.filter((field) => (value as Record<string, unknown>)[field] !== undefined)

/** Requires exactly one of the fields; the fault is reported at the object. Generated documents state the rule too. */
export const exactlyOneOf = <T extends z.ZodObject>(schema: T, fields: readonly (keyof z.infer<T> & string)[]) =>
  schema
    .refine((value) => present(value, fields).length === 1, {
      message: `exactly one of ${fields.join(', ')} is required`,
      ...whenObject,
    })
    .meta({ oneOf: fields.map((field) => ({ required: [field] })) })

/** Requires at least one of the fields; the fault is reported at the object. Generated documents state the rule too. */
export const atLeastOneOf = <T extends z.ZodObject>(schema: T, fields: readonly (keyof z.infer<T> & string)[]) =>
  schema
    .refine((value) => present(value, fields).length > 0, {
      message: `at least one of ${fields.join(', ')} is required`,
      ...whenObject,
    })
    .meta({ anyOf: fields.map((field) => ({ required: [field] })) })

/** Requires at least one description of the insurance; `insurance_content` alone must not be empty (specification, Prior authorization create request). Generated documents state the rule too. */
export const insured = <T extends z.ZodObject>(schema: T) =>
  schema
    .refine((value) => present(value, ['insurance', 'insurance_content']).length > 0, {
      message: 'at least one of insurance, insurance_content is required',
      ...whenObject,
    })
    .refine((value) => !isEmptyAlone(value), {
      path: ['insurance_content'],
      message: 'at least one field is required where there is no insurance card',
      ...whenObject,
    })
    .meta({
      anyOf: [
        { required: ['insurance'] },
        { required: ['insurance_content'], properties: { insurance_content: { minProperties: 1 } } },
      ],
    })

function isEmptyAlone(value: object): boolean {
  // The compiler cannot see that reading an unknown field of an object is safe: a missing one is undefined.
  const { insurance, insurance_content: content } = value as Record<string, unknown>
  const isEmpty = typeof content === 'object' && content !== null && Object.keys(content).length === 0
  return insurance === undefined && isEmpty && !Array.isArray(content)
}

/** Refinement options for a field that is required because of another one. */
export const requiredUnless = { message: 'is required', ...whenObject }
