import { describe, it } from 'vitest'
import type { PriorAuthorization } from '../../../src/index.ts'
import type { Ehr } from '@pawl/ehr'
import { connectorContract, type Fault } from '../../testing/src/index.ts'
import { canaries } from '../../../test/support/canaries.ts'
import { chartSubject } from '../../../test/support/chart-subject.ts'
import { startHl7Listener } from '../../../test/support/hl7-listener.ts'
import { startRelay } from '../../../test/support/relay.ts'
import { mdm, openHl7 } from './hl7/open-hl7.ts'

describe.each([false, true])(
  'a chart that takes documents by HL7 v2 keeps the contract (enhanced: %s)',
  (isEnhanced) => {
    async function startChart() {
      const listener = await startHl7Listener({ isEnhanced })
      const relay = await startRelay(listener.port)
      return {
        connect: () => openHl7(relay.port, { mdm: { ...mdm, isEnhanced } }),
        /** A document that was replaced is not the chart's any more. */
        held: async (resourceId: string) =>
          listener
            .documents()
            .filter(({ status, message }) => status === 'available' && message.toString().includes(resourceId))
            .map(({ message }) => message.getAllSegments('OBX').map((obx) => obx.getField(5).toString())),
        fail(fault?: Fault) {
          const refused = { code: 'AE', more: [`ERR||PID^1^5|103^${canaries.lastName}|E`] }
          listener.answer(fault === 'refusal' ? () => refused : fault === 'silence' ? () => 'nothing' : undefined)
          relay.fail(fault === 'unavailable' ? 'away' : fault === 'cut' || fault === 'lost_answer' ? fault : undefined)
        },
        changes: () => listener.received.length,
        connections: async () => relay.connections(),
        async close() {
          await relay.close()
          await listener.close()
        },
      }
    }

    const rules = connectorContract<Ehr, PriorAuthorization>({
      start: startChart,
      ...chartSubject,
      faults: ['refusal', 'unavailable', 'silence', 'cut', 'lost_answer'],
    })
    for (const { name, check } of rules) it(name, check)
  },
)
