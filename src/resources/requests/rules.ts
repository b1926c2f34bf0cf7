import type { z } from 'zod'

/** Checks a rule over several fields even when single fields are at fault, so that a caller sees all faults at once. */
const whenObject = { when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null }

const present = (value: object, fields: readonly string[]) =>
  // The compiler cannot see that reading an unknown field of an object is safe: what is not there is undefined.
  fields.filter((field) => (value as Record<string, unknown>)[field] !== undefined)

/** The object has exactly one of the fields; the fault is that of the object. Documents generated from the schema say so too. */
export const exactlyOneOf = <T extends z.ZodObject>(schema: T, fields: readonly (keyof z.infer<T> & string)[]) =>
  schema
    .refine((value) => present(value, fields).length === 1, {
      message: `exactly one of ${fields.join(', ')} is required`,
      ...whenObject,
    })
    .meta({ oneOf: fields.map((field) => ({ required: [field] })) })

/** The object has at least one of the fields; the fault is that of the object. Documents generated from the schema say so too. */
export const atLeastOneOf = <T extends z.ZodObject>(schema: T, fields: readonly (keyof z.infer<T> & string)[]) =>
  schema
    .refine((value) => present(value, fields).length > 0, {
      message: `at least one of ${fields.join(', ')} is required`,
      ...whenObject,
    })
    .meta({ anyOf: fields.map((field) => ({ required: [field] })) })

/** For a field that is required because of another one. */
export const requiredUnless = { message: 'is required', ...whenObject }
