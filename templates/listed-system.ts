import { PawlError } from '#pawl'

/** `src/integration/index.ts` does not list a system that a handler needs. */
export class SystemNotListed extends PawlError {
  readonly code = 'system_not_listed'
}

/** The port of a fork's own system, from a handler's argument; a template's types know only the systems that pawl ships. Throws `SystemNotListed`. */
export function listedSystem(context: object, name: string): object {
  const port: unknown = Object.hasOwn(context, name) ? Reflect.get(context, name) : undefined
  if (typeof port !== 'object' || port === null)
    throw new SystemNotListed(`List the system ${name} in src/integration/index.ts.`)
  return port
}
