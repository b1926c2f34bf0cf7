/** One call of a method of the service or of a system. */
export interface Call {
  /** `api`, or the name of the system. */
  system: string
  method: string
  args: readonly unknown[]
}

/** Any method of a port. */
type Method = (...args: unknown[]) => unknown

/** Wraps a port to record each call before it is made. `missing` handles methods that the port lacks. */
export function recordCalls<P extends object>(
  port: P,
  { system, calls, missing }: { system: string; calls: Call[]; missing?: (method: string) => Promise<unknown> },
): P {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      const isMissing = member === undefined && missing !== undefined && typeof name === 'string' && name !== 'then'
      if (typeof member !== 'function' && !isMissing) return member
      return async (...args: unknown[]) => {
        calls.push({ system, method: String(name), args })
        // The type cannot express that a port's functions are methods.
        return isMissing ? missing(name) : (member as Method).apply(target, args)
      }
    },
  })
}
