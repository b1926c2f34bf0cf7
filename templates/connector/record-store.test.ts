import { describe, expect, it } from 'vitest'
import { connectorContract, startFarSide } from '#pawl/testing'
import { recordStore } from './record-store.ts'

/** Keeps what is put, and gives it back. */
async function startRecordStore() {
  const kept = new Map<string, unknown>()
  const farSide = await startFarSide(({ method, path, body }) => {
    if (method === 'GET') return { status: 200, body: [...kept.values()] }
    if (method !== 'PUT') return { status: 405 }
    kept.set(path, JSON.parse(body))
    return { status: 200 }
  })
  return {
    ...farSide,
    connect: () => recordStore({ RECORD_STORE_URL: farSide.url }),
    held: async (resourceId: string) => [...kept].filter(([path]) => path === `/${resourceId}`),
  }
}

describe('the record store', () => {
  const rules = connectorContract({
    start: startRecordStore,
    states: () => [
      { status: 'processing', first_name: 'Kanarina', last_name: 'Zwitscherling' },
      { status: 'completed', first_name: 'Kanarina', last_name: 'Zwitscherling' },
    ],
    write: (port, record) => port.put(record),
    patientData: ['Kanarina', 'Zwitscherling'],
  })
  for (const { name, check } of rules) it(name, check)

  it('without an address says so from the start', () => {
    expect(recordStore({}).notice).toContain('RECORD_STORE_URL')
  })
})
