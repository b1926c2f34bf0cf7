import { isDeepStrictEqual } from 'node:util'
import type { Encounter, Reference } from 'fhir/r4.js'
import { PawlError } from '@pawl/base/errors'
import type { Subject } from '../ehr.ts'
import type { DocumentKind, StoredByType, StoredType } from './chart-types.ts'
import type { NamedIdentifier } from './mapping/references.ts'
import { toContent } from './owned.ts'
import type { ProfileName } from './profiles/profile.ts'

/** A resource as pawl would send it; an encounter if FHIR_ENCOUNTER is `create`. */
export type ChartResource = StoredByType[StoredType] | Encounter

export interface ShapeContext {
  /** The PA or BV that the resource is about. */
  subject: Subject
  /** Of a document. */
  kind?: DocumentKind | undefined
  /** The patient in the chart. */
  patient: Reference
  /** The chart's profile, set or recognised. */
  profile: ProfileName
}

/**
 * A fork's change to each resource before it is sent; its fields then count as pawl's own. It must be deterministic and idempotent, and must keep
 * type, patient and pawl's identifier.
 */
export type ShapeResource = (resource: ChartResource, context: ShapeContext) => ChartResource

/** `shape` changed type, patient or identifier. */
class ShapeInvalid extends PawlError {
  readonly code = 'shape_invalid'
  readonly system = 'ehr'
}

/** The resource as shaped. Throws `ShapeInvalid`. */
export function applyShape<R extends ChartResource>(
  shape: ShapeResource | undefined,
  resource: R,
  { identifier, ...context }: ShapeContext & { identifier: NamedIdentifier },
): R {
  if (shape === undefined) return resource
  const shaped = shape(structuredClone(resource), context)
  const isKept = (name: string) => isDeepStrictEqual(toContent(shaped)[name], toContent(resource)[name])
  const isNamed = (each: ChartResource) =>
    each.identifier?.some(({ system, value }) => system === identifier.system && value === identifier.value) === true
  const hasName = isNamed(shaped) || !isNamed(resource)
  if (!hasName || !['resourceType', 'subject', 'patient', 'for', 'beneficiary'].every(isKept)) {
    throw new ShapeInvalid(
      `shape changed type, patient or identifier of a ${resource.resourceType}: it may change all but these. Correct it, then retry the parked work.`,
    )
  }
  // The compiler cannot see that the type was compared.
  return shaped as R
}
