import type { ContractSubject } from '#pawl/testing'
import { startCaseDesk } from './case-desk.ts'
import { createFaultyDesk, type Defect, type DeskState, type FaultyDesk } from './faulty-desk.ts'

const name = 'Kanarina Zwitscherling'
const ofRemovals: ReadonlySet<Defect> = new Set(['remembers what it removed', 'fails to remove what is gone'])

/** A connector with this defect, or without any, as the contract is told of it. */
export const subjectWith = (defect?: Defect): ContractSubject<FaultyDesk, DeskState> => ({
  async start() {
    const desk = await startCaseDesk()
    return { ...desk, connect: () => createFaultyDesk(desk.url, defect) }
  },
  states: (id) => [
    { id, status: 'processing', name },
    { id, status: 'completed', name },
  ],
  // The defects of other writes show without it.
  ...((defect === undefined || ofRemovals.has(defect)) && { gone: (id) => ({ id, status: 'cancelled', name }) }),
  write: (port, state) => (state.status === 'cancelled' ? port.removeCase() : port.putCase(state)),
  patientData: [name],
})
