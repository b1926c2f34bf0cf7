import { z } from 'zod'
import { RequestGap, startedKinds } from 'pawl-client/schemas/request-draft'
import { route } from './route.ts'

const asked = {
  kind: z.enum(startedKinds),
  prescription: z
    .string()
    .regex(/^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/)
    .describe("Id of the chart's MedicationRequest."),
  given: z
    .record(z.string().max(100), z.string().trim().min(1).max(1_000))
    .default({})
    .describe('Values for gaps, by field. They never replace a value of the chart.'),
}
const invalid =
  'Send a JSON object with kind, prescription and perhaps given, an object of texts by field. The prescription is the id of a MedicationRequest: letters, digits, dots and hyphens, 64 at most.'

export const startContract = {
  draftRequest: route({
    method: 'post',
    path: '/api/requests/draft',
    needs: 'start',
    summary: "Draft a request to the service from a chart's prescription, and show it",
    body: z.strictObject(asked),
    invalid,
    answer: z.object({
      isComplete: z.boolean(),
      request: z.unknown().describe('The request, with all that the chart has.'),
      missing: z.array(RequestGap).readonly(),
      leftOut: z.array(RequestGap).readonly().describe('Recommended fields without a value.'),
      stamp: z.string().describe('Send it back to start what was shown.'),
      startedAs: z.string().optional().describe('The resource that was started from the prescription before.'),
    }),
    errors: ['nothing', 'no_chart'],
  }),
  startRequest: route({
    method: 'post',
    path: '/api/requests/start',
    needs: 'start',
    summary: 'Send a drafted request to the service, once for each prescription',
    body: z.strictObject({
      ...asked,
      stamp: z.string().max(100),
      again: z.boolean().default(false).describe('After an earlier start without an answer: send it once more.'),
    }),
    invalid,
    answer: z.object({ id: z.string() }),
    errors: ['nothing', 'no_chart', 'already_started', 'start_unsure', 'changed', 'incomplete'],
  }),
}
