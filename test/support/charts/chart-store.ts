import type { FhirResource } from 'fhir/r4.js'
import type { ResourceOf, ResourceType } from './profile.ts'

/** A resource as a chart holds it. */
export type Held<T extends ResourceType = ResourceType> = ResourceOf<T> & {
  id: string
  meta: { versionId: string; lastUpdated: string }
}

/** The resources of one chart, in memory. What it gives and takes is copied. */
export interface ChartStore {
  read(type: string, id: string): Held | undefined
  /** Those that match, or all; oldest first. */
  all<T extends ResourceType>(type: T, matches?: (held: Held<T>) => boolean): Held<T>[]
  /** Stores it under its id, or under a new one, as the next version. */
  put(resource: FhirResource): Held
  /** Deletes it; `wasThere` tells from then on. */
  remove(type: string, id: string): void
  /** Whether it was deleted. */
  wasThere(type: string, id: string): boolean
}

/** `idOf` names the nth resource of a type. */
export function createChartStore(idOf: (ordinal: number) => string): ChartStore {
  const deleted = new Set<string>()
  const byType = new Map<string, Map<string, Held>>()
  const ofType = (type: string) => {
    const known = byType.get(type) ?? new Map<string, Held>()
    byType.set(type, known)
    return known
  }

  function freeId(taken: ReadonlyMap<string, Held>): string {
    let ordinal = taken.size + deleted.size + 1
    while (taken.has(idOf(ordinal))) ordinal += 1
    return idOf(ordinal)
  }

  return {
    read(type, id) {
      const held = byType.get(type)?.get(id)
      return held && structuredClone(held)
    },
    all<T extends ResourceType>(type: T, matches: (held: Held<T>) => boolean = () => true) {
      // The compiler cannot see that a type's own map holds nothing else.
      const held = [...ofType(type).values()] as Held<T>[]
      return structuredClone(held.filter(matches))
    },
    put(resource) {
      const held = ofType(resource.resourceType)
      const id = resource.id ?? freeId(held)
      const version = Number(held.get(id)?.meta.versionId ?? 0) + 1
      const meta = { ...resource.meta, versionId: String(version), lastUpdated: new Date().toISOString() }
      // The compiler cannot see that a copy of a resource with id and meta is a held one.
      const stored = structuredClone({ ...resource, id, meta }) as Held
      held.set(id, stored)
      return structuredClone(stored)
    },
    remove(type, id) {
      if (byType.get(type)?.delete(id) === true) deleted.add(`${type}/${id}`)
    },
    wasThere: (type, id) => deleted.has(`${type}/${id}`),
  }
}
