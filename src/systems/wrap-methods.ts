/** Any asynchronous method of a port. */
export type Method = (...args: unknown[]) => Promise<unknown>

/** The same port, each of its methods in a wrapping; ports are plain objects of asynchronous methods. */
export function wrapMethods<P extends object>(port: P, wrap: (method: Method) => Method): P {
  const wrapped = Object.entries(port).map(([name, member]: [string, unknown]) => [
    name,
    // The type of a generic port cannot say that its functions are such methods.
    typeof member === 'function' ? wrap(member as Method) : member,
  ])
  // Every method was replaced by one of the same signature, which fromEntries cannot express.
  return Object.fromEntries(wrapped) as P
}
