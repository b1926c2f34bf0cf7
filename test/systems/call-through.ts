import type { Breaker } from '../../src/systems/breaker.ts'

/** Calls a system that answers whatever does not throw, behind one breaker. */
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
