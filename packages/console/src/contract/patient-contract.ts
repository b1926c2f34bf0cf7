import { z } from 'zod'
import { Reason, reasonLength } from './reason.ts'
import { route } from './route.ts'
import { Kind } from './story.ts'

const internal_id = z.string().trim().min(1).max(200).describe("The customer's own number of the patient.")

export const patientContract = {
  findPatient: route({
    method: 'post',
    path: '/api/patients/find',
    needs: 'privacy',
    summary: "Find, part by part, a patient's data in the ledger",
    body: z.strictObject({ internal_id, cursor: z.string().max(300).optional(), reason: Reason }),
    invalid: `Send a JSON object with internal_id, reason, a text of ${reasonLength}, and perhaps cursor.`,
    answer: z.object({
      resources: z.array(z.object({ id: z.string(), kind: Kind })),
      events: z.array(z.number()).describe('Events without a resource whose bodies name the patient.'),
      looked: z.number(),
      total: z.number(),
      erasedAgoMs: z.number().nullish().describe('Since the last erasure of this patient; null: none.'),
      cursor: z.string().optional(),
    }),
  }),
  erasePatient: route({
    method: 'post',
    path: '/api/patients/erase',
    needs: 'privacy',
    summary: "Erase a patient's data of one resource, or of a few events without one",
    body: z.union([
      z.strictObject({ internal_id, reason: Reason, resource_id: z.string().min(1) }),
      z.strictObject({ internal_id, reason: Reason, events: z.array(z.number().int()).min(1).max(1_000) }),
    ]),
    invalid: 'Send a JSON object with internal_id, reason, and resource_id or events, the ids of some.',
    answer: z.union([
      z.object({
        removed: z.record(z.string(), z.number()).describe('Number of each kind.'),
        dropped: z.number().describe('Pieces of pending work that were dropped.'),
        written: z.array(z.object({ system: z.string(), type: z.string(), id: z.string() })),
      }),
      z.object({ bodies: z.number().describe('Ids of events.') }),
    ]),
    errors: ['unknown_resource', 'in_work'],
  }),
  wipe: route({
    method: 'post',
    path: '/api/patients/wipe',
    needs: 'privacy',
    summary: 'Remove deleted bytes from the files of the ledger',
    answer: z.object({ isWiped: z.boolean() }),
  }),
  forgetPatient: route({
    method: 'post',
    path: '/api/patients/forget',
    needs: 'operate',
    summary: 'Search for a patient in other systems again',
    body: z.strictObject({ patient: z.string().trim().min(1).max(200) }),
    invalid: 'Send a JSON object with patient: a number of the patient, or the id in the chart.',
    answer: z.object({ resources: z.array(z.string()) }),
  }),
}
