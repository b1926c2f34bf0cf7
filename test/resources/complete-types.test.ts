import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BenefitVerification } from '../../src/resources/benefit-verification.ts'
import { ClinicalQualification } from '../../src/resources/clinical-qualification.ts'
import { documentedBy } from '../../src/resources/lenient.ts'
import { PriorAuthorization } from '../../src/resources/prior-authorization.ts'
import { ProviderOutreach } from '../../src/resources/provider-outreach.ts'
import { BenefitVerificationResource } from '../../src/sandbox/benefit-verification/resource.ts'
import { ClinicalQualificationResource } from '../../src/sandbox/clinical-qualification/resource.ts'
import { PriorAuthorizationResource } from '../../src/sandbox/prior-authorization/resource.ts'
import { ProviderOutreachResource } from '../../src/sandbox/provider-outreach/resource.ts'

type Schema = z.core.$ZodType

/** What stands behind what may be absent, null or unreadable. */
function inner(schema: Schema): Schema {
  const documented = documentedBy(schema)
  if (documented !== undefined) return 'items' in documented ? z.array(documented.items) : z.string()
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodReadonly
  )
    return inner(schema.unwrap())
  return schema
}

/** Every field by its path, such as `message_thread.messages[].content`; of several forms, the fields of all. */
function fieldsOf(schema: Schema, path = ''): Map<string, Schema> {
  const found = inner(schema)
  const below = new Map<string, Schema>(path === '' ? [] : [[path, found]])
  const add = (fields: Map<string, Schema>) => fields.forEach((field, name) => below.set(name, field))
  if (found instanceof z.ZodObject)
    for (const [name, field] of Object.entries<Schema>(found.shape))
      add(fieldsOf(field, path === '' ? name : `${path}.${name}`))
  else if (found instanceof z.ZodArray) add(fieldsOf(found.element, `${path}[]`))
  else if (found instanceof z.ZodUnion) for (const form of found.options) add(fieldsOf(form, path))
  return below
}

const isUntyped = (schema: Schema) =>
  schema instanceof z.ZodUnknown || schema instanceof z.ZodAny || schema instanceof z.ZodRecord

describe.each([
  ['a PA', PriorAuthorization, PriorAuthorizationResource],
  ['a BV', BenefitVerification, BenefitVerificationResource],
  ['a clinical qualification', ClinicalQualification, ClinicalQualificationResource],
  ['an outreach attempt', ProviderOutreach, ProviderOutreachResource],
])('the type of %s', (_name, read, emitted) => {
  it('has every field that the service shows', () => {
    const known = fieldsOf(read)
    expect(known.size).toBeGreaterThan(10)
    // What the client put in, the service passes on as it came.
    const isOwn = (path: string) => /(^|\.)evidence\[\]\.content\./.test(path)
    expect([...fieldsOf(emitted).keys()].filter((path) => !known.has(path) && !isOwn(path))).toEqual([])
  })

  it('leaves no field without a type', () => {
    const untyped = [...fieldsOf(read)].filter(([, schema]) => isUntyped(schema))
    expect(untyped.map(([path]) => path)).toEqual([])
  })
})

/** The documented fields that the compiler knows nothing of; what is not documented stays unknown. */
type Untyped<T> = keyof { [K in keyof T as string extends K ? never : unknown extends T[K] ? K : never]: true }
type None<T> = [T] extends [never] ? true : false

it('the compiler finds no field of a resource without a type', () => {
  const isTyped: [
    None<Untyped<z.infer<typeof PriorAuthorization>>>,
    None<Untyped<z.infer<typeof BenefitVerification>>>,
    None<Untyped<z.infer<typeof ClinicalQualification>>>,
    None<Untyped<z.infer<typeof ProviderOutreach>>>,
  ] = [true, true, true, true]
  expect(isTyped).not.toContain(false)
})
