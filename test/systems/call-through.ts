import type { Breaker } from '../../src/systems/breaker.ts'

/** Calls a system behind one breaker; a call that does not throw counts as answered. */
export async function callThrough<T>(breaker: Breaker, resourceId: string, act: () => Promise<T>): Promise<T> {
  const admission = breaker.admit(resourceId)
  try {
    const answer = await act()
    admission.passed()
    return answer
  } catch (error) {
    throw admission.failed(error)
  } finally {
    admission.end()
  }
}
