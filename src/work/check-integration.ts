import { ConfigInvalid } from '@pawl/base/errors'
import { integrationFile } from '@pawl/base/integration-file'
import { isOwnFieldName, setByTheLog } from '@pawl/base/log'
import { isEventType } from 'pawl-client/events/event-types'
import { isDocumentedField } from 'pawl-client/schemas/documented'
import type { AnyHandler, HandlerFacts } from './handler.ts'
import type { SystemsByName } from '@pawl/connector/system'

/** Names already taken in a handler's context. */
const reserved: Record<'api' | keyof HandlerFacts, true> = {
  api: true,
  changes: true,
  digest: true,
  events: true,
  kind: true,
  log: true,
  memory: true,
  once: true,
  previous: true,
  resource: true,
  settings: true,
  signal: true,
}

/** Checks names and event types at start: a duplicate name would mix up progress, and an unknown event type never arrives. Throws `ConfigInvalid`. */
export function checkIntegration({
  systems,
  handlers,
  logFields = [],
}: {
  systems: SystemsByName
  handlers: readonly AnyHandler[]
  logFields?: readonly string[] | undefined
}): void {
  for (const name of Object.keys(systems)) {
    if (Object.hasOwn(reserved, name))
      throw new ConfigInvalid(
        `A system in ${integrationFile()} is named ${name}, a name that handlers already get for something else: rename it.`,
      )
    if (!/^[a-z][A-Za-z0-9]{0,31}$/.test(name))
      throw new ConfigInvalid(
        `A system in ${integrationFile()} is named ${name}: use up to 32 letters and digits, a small letter first.`,
      )
  }
  for (const name of logFields) {
    if (!isOwnFieldName(name))
      throw new ConfigInvalid(
        `A log field in ${integrationFile()} is named ${name}: use up to 32 small letters, digits and underscores, a letter first, and none of ${[...setByTheLog].join(', ')}.`,
      )
  }
  const names = new Set<string>()
  for (const { name, on, reads = 'all' } of handlers) {
    if (names.has(name))
      throw new ConfigInvalid(`Two handlers in ${integrationFile()} are named ${name}: give each its own name.`)
    names.add(name)
    const unknown = on.find((type: string) => !isEventType(type))
    if (unknown !== undefined)
      throw new ConfigInvalid(
        `Handler ${name} follows ${unknown}, which is not an event type: see packages/client/src/events/event-types.ts.`,
      )
    // A misspelt field never changes, so the handler would never run again.
    const undocumented = reads === 'all' ? undefined : reads.find((field) => !isDocumentedField(field))
    if (undocumented !== undefined)
      throw new ConfigInvalid(
        `Handler ${name} reads ${undocumented}, which is not a documented field: correct \`reads\`, or leave it out.`,
      )
  }
}
