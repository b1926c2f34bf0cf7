import type { StoredByType, StoredType } from './chart-types.ts'
import { comparedFields, firstWritten } from './owned.ts'

/** Stands in for the chart's resource, which was not read. It has the time of pawl's first write, if known, and reports whether a mapping depends on more. */
export function createStandIn<T extends StoredType>(type: T, id: string, since: string | undefined) {
  let isAsked = false
  const compared: readonly PropertyKey[] = comparedFields[type]
  const time = firstWritten[type]
  const known: object = { resourceType: type, id, ...(time !== undefined && since !== undefined && { [time]: since }) }
  const resource = new Proxy(known, {
    get(target, name) {
      isAsked ||= compared.includes(name)
      return Reflect.get(target, name) as unknown
    },
    ownKeys(target) {
      isAsked = true
      return Reflect.ownKeys(target)
    },
  })
  // The compiler cannot see that `isAsked` reports reads beyond the known fields.
  return { resource: resource as StoredByType[T], isAsked: () => isAsked }
}
