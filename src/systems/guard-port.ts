/** Any method of a port. */
type Method = (...args: unknown[]) => unknown

/** Wraps a port so that `around` controls each method call: it may refuse, delay or observe it. Methods run on the port itself, so that a class keeps its private fields. */
export function guardPort<P extends object>(
  port: P,
  around: (call: () => unknown, name: string) => Promise<unknown>,
): P {
  const wrapped = new Map<PropertyKey, unknown>()
  return new Proxy(port, {
    get(target, name) {
      const known = wrapped.get(name)
      if (known !== undefined) return known
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      // The type of a port cannot say that its functions are methods.
      const method = member as Method
      const guarded = (...args: unknown[]) => around(() => method.apply(target, args), String(name))
      wrapped.set(name, guarded)
      return guarded
    },
  })
}
