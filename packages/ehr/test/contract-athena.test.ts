import { describe, it } from 'vitest'
import type { PriorAuthorization } from '../../../src/index.ts'
import type { Ehr } from '@pawl/ehr'
import { connectorContract, type Fault } from '../../testing/src/index.ts'
import { startAthenaOne } from '../../../test/support/athena-one.ts'
import { canaryPatient } from '../../../test/support/canaries.ts'
import { chartSubject } from '../../../test/support/chart-subject.ts'
import { readPdf } from '../../../test/support/read-pdf.ts'
import { startRelay } from '../../../test/support/relay.ts'
import { openAthena } from './athena/open-athena.ts'

const number = '60178'

describe('athenaOne, which takes documents alone, keeps the contract', () => {
  async function startChart() {
    const athena = await startAthenaOne()
    const [year, month, day] = canaryPatient.date_of_birth.split('-')
    athena.addPatient(number, `${month}/${day}/${year}`)
    const relay = await startRelay(athena.port)
    return {
      connect: () => openAthena(relay.port),
      async held(resourceId: string) {
        const texts = athena
          .documents()
          .filter(({ status }) => status !== 'DELETED')
          .map(({ pdf }) => readPdf(pdf))
        return (await Promise.all(texts)).filter((text) => JSON.stringify(text).includes(resourceId))
      },
      fail(fault?: Fault) {
        athena.refuse(fault === 'refusal' ? 400 : undefined)
        athena.fallSilent(fault === 'silence')
        relay.fail(fault === 'unavailable' ? 'away' : fault === 'cut' || fault === 'lost_answer' ? fault : undefined)
      },
      changes: athena.changes,
      async close() {
        await relay.close()
        await athena.close()
      },
    }
  }

  const rules = connectorContract<Ehr, PriorAuthorization>({
    start: startChart,
    ...chartSubject,
    states: (id) =>
      chartSubject.states(id).map((pa) => ({ ...pa, patient: { ...canaryPatient, mrn: number } })) as never,
    faults: ['refusal', 'unavailable', 'silence', 'cut', 'lost_answer'],
  })
  for (const { name, check } of rules) it(name, check)
})
