import type { PriorAuthorization, System } from '../../../../src/index.ts'
import { pharmacyFrom, type Pharmacy } from '@pawl/pharmacy'
import { tellPharmacy } from './raw-systems.ts'

/** Further settings that a fork declares. */
type Settings = Parameters<typeof pharmacyFrom>[0]

function noticeOf({ id, prescription_transfer: transfer }: PriorAuthorization) {
  return (
    transfer && {
      prior_authorization_id: id,
      status: transfer.status,
      confirmed: transfer.confirmed,
      transfer_attempts: transfer.transfer_attempts,
    }
  )
}

let starts = 0

/** Connectors of a pharmacy that are wrong, each in its own way, by the name of their fault. */
export const wrongPharmacies = {
  /** Holds something that is used up by the starts of its process. */
  'is worn out after two starts': (settings: Settings): System<Pharmacy> => {
    starts += 1
    const isWornOut = starts > 2
    return isWornOut ? { open: () => ({ putPrescriptionTransfer: async () => {} }) } : pharmacyFrom(settings)
  },

  /** Remembers what it sent, but tells it under another id each time that it tries. */
  'names each attempt anew': (settings: Settings): System<Pharmacy> => ({
    open: ({ memory }) => ({
      async putPrescriptionTransfer(pa) {
        const data = noticeOf(pa)
        const digest = JSON.stringify(data)
        const sent = await memory.read('sent')
        if (data === undefined || sent?.digest === digest) return
        const sequence = Date.now()
        await tellPharmacy(settings, data, { sequence })
        await memory.write('sent', { id: String(sequence), digest })
      },
    }),
  }),

  /** Notes that it told before it tells. */
  'remembers before it sends': (settings: Settings): System<Pharmacy> => ({
    open: ({ memory }) => ({
      async putPrescriptionTransfer(pa) {
        const data = noticeOf(pa)
        const digest = JSON.stringify(data)
        const last = await memory.read('told')
        if (data === undefined || last?.digest === digest) return
        const sequence = Number(last?.id ?? 0) + 1
        await memory.write('told', { id: String(sequence), digest })
        await tellPharmacy(settings, data, { id: `msg_${pa.id}_${sequence}`, sequence })
      },
    }),
  }),

  /** Remembers durably what it told, and numbers the notices in the memory of the process. */
  'counts in memory': (settings: Settings): System<Pharmacy> => {
    const counts = new Map<string, number>()
    return {
      open: ({ memory }) => ({
        async putPrescriptionTransfer(pa) {
          const data = noticeOf(pa)
          const digest = JSON.stringify(data)
          const last = await memory.read('told')
          if (data === undefined || last?.digest === digest) return
          const sequence = (counts.get(pa.id) ?? 0) + 1
          const id = `msg_${pa.id}_${digest.length}_${data.transfer_attempts?.length ?? 0}`
          await tellPharmacy(settings, data, { id, sequence })
          counts.set(pa.id, sequence)
          await memory.write('told', { id, digest })
        },
      }),
    }
  },
}
