import type { StoredByType, StoredType } from './chart-types.ts'
import { comparedFields, firstWritten } from './owned.ts'

/** A stand-in for the chart's resource, which was not read. It has the time of pawl's first write, if known, and reports whether a mapping reads more. */
export function createStandIn<T extends StoredType>(type: T, id: string, since: string | undefined) {
  let isRead = false
  const compared: readonly PropertyKey[] = comparedFields[type]
  const time = firstWritten[type]
  const known: object = { resourceType: type, id, ...(time !== undefined && since !== undefined && { [time]: since }) }
  const resource = new Proxy(known, {
    get(target, name) {
      isRead ||= compared.includes(name)
      return Reflect.get(target, name) as unknown
    },
    ownKeys(target) {
      isRead = true
      return Reflect.ownKeys(target)
    },
  })
  // The compiler cannot see that `isRead` reports reads beyond the known fields.
  return { resource: resource as StoredByType[T], isRead: () => isRead }
}
