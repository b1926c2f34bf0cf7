import { type Clock, systemClock } from '../../../clock.ts'
import type { System } from '../../../systems/system.ts'
import type { Ehr } from '../ehr.ts'
import { createMappedEhr } from '../fhir/mapped-ehr.ts'
import { createOneAtATime } from '../fhir/one-at-a-time.ts'
import type { FhirStore, Place, StoredByType, StoredType } from '../fhir/store.ts'

export interface MemoryEhr extends System<Ehr> {
  /** What it holds of one FHIR type, oldest first. */
  resources<T extends StoredType>(type: T): StoredByType[T][]
  /** How often something was created or changed. */
  readonly writes: number
}

/** The chart in memory, for tests and for running without an EHR: the same mapping, and the same rules of upserting, as on a FHIR server. */
export function createMemoryEhr(options: { identifierBase?: string; clock?: Clock } = {}): MemoryEhr {
  const { identifierBase = 'https://pawl.example/identifiers', clock = systemClock } = options
  const held = new Map<string, StoredByType[StoredType]>()
  let writes = 0

  const store: FhirStore = {
    async find<T extends StoredType>(place: Place<T>) {
      // The compiler cannot see that the type is part of the key.
      return held.get(keyOf(place)) as StoredByType[T] | undefined
    },
    async put(place, resource) {
      writes += 1
      const before = held.get(keyOf(place))
      const id = before?.id ?? String(held.size + 1)
      const version = String(Number(before?.meta?.versionId ?? 0) + 1)
      held.set(keyOf(place), { ...resource, id, meta: { versionId: version } })
      return { id, version }
    },
  }

  const oneAtATime = createOneAtATime()
  return {
    open: (run) => createMappedEhr({ store, identifierBase, clock, oneAtATime, run }),
    resources<T extends StoredType>(type: T) {
      const ofType = [...held.values()].filter(({ resourceType }) => resourceType === type)
      // The compiler cannot see what the filter just made sure of.
      return ofType as StoredByType[T][]
    },
    get writes() {
      return writes
    },
  }
}

function keyOf({ type, identifier }: Place<StoredType>): string {
  return `${type} ${identifier.system}|${identifier.value}`
}
