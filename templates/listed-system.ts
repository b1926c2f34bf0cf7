import { PawlError } from '#pawl'

/** A handler needs a system that `src/integration/index.ts` does not list. */
export class SystemNotListed extends PawlError {
  readonly code = 'system_not_listed'
}

/** The port of a system of the fork's own, out of what a handler gets; the types of a template know only the systems that pawl ships. Throws `SystemNotListed`. */
export function listedSystem(context: object, name: string): object {
  const port: unknown = Object.hasOwn(context, name) ? Reflect.get(context, name) : undefined
  if (typeof port !== 'object' || port === null)
    throw new SystemNotListed(`List the system ${name} in src/integration/index.ts.`)
  return port
}
