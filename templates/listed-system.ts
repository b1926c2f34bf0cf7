import { PawlError } from '#pawl'

/** A handler needs a system that `src/integration/index.ts` does not list. */
export class SystemNotListed extends PawlError {
  readonly code = 'system_not_listed'
}

/** The port of a system of the fork's own, out of what a handler gets; the types of a template know only the systems that pawl ships. Throws `SystemNotListed`. */
export function listedSystem<Port extends object>(context: object, name: string): Port {
  // The compiler cannot see what the integration of a fork lists under the name.
  const port = Reflect.get(context, name) as Port | undefined
  if (port === undefined) throw new SystemNotListed(`List the system ${name} in src/integration/index.ts.`)
  return port
}
