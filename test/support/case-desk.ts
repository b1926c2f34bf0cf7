import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type FarSide, startFarSide } from '#pawl/testing'

const Opened = z.object({ reference: z.string() })

interface DeskCase {
  id: string
  reference: string
  content?: unknown
}

/** A system with a case for each reference: POST opens one, a second time only under another idempotency key; PUT replaces its content; DELETE removes it. */
export interface CaseDesk extends FarSide {
  /** Contents of the cases of a reference, the newest last. */
  held(this: void, reference: string): Promise<unknown[]>
}

/** Starts it. */
export async function startCaseDesk(): Promise<CaseDesk> {
  const cases = new Map<string, DeskCase>()
  const farSide = await startFarSide(({ method, path, headers, body }) => {
    if (method === 'GET') return { status: 200, body: [] }
    if (method === 'PUT' || method === 'DELETE') {
      const [key, found] = [...cases].find(([, { id }]) => path === `/cases/${id}`) ?? []
      if (key === undefined || found === undefined) return { status: 404 }
      if (method === 'DELETE') return { status: cases.delete(key) ? 204 : 404 }
      found.content = JSON.parse(body)
      return { status: 200, body: { id: found.id } }
    }
    const key = String(headers['idempotency-key'] ?? randomUUID())
    const opened = cases.get(key) ?? { id: randomUUID(), ...Opened.parse(JSON.parse(body)) }
    cases.set(key, opened)
    return { status: 201, body: { id: opened.id } }
  })
  return {
    ...farSide,
    held: async (reference) =>
      [...cases.values()].filter((each) => each.reference === reference).map(({ content }) => content),
  }
}
