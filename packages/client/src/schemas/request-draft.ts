import { z } from 'zod'

/** The requests that can begin in a chart. */
export const startedKinds = ['prior_authorization', 'benefit_verification'] as const
export type StartedKind = (typeof startedKinds)[number]

/** A field of a request for which a chart has no single usable value. */
export const RequestGap = z.object({
  field: z.string().describe('Path in the request, such as `insurance_content.member_number`.'),
  from: z.string().describe('The place in the chart that would fill it, such as `Coverage.subscriberId`.'),
  why: z.enum(['absent', 'several', 'unusable']),
  says: z.string().describe('The reason as a clause, without a value of the chart.'),
})
export type RequestGap = z.infer<typeof RequestGap>

/** A request made of a chart's records. `missing` keeps it from being sent; `leftOut` does not. */
export type RequestDraft<Request = unknown> = { leftOut: readonly RequestGap[] } & (
  | { isComplete: true; request: Request; missing: readonly [] }
  | { isComplete: false; request: unknown; missing: readonly RequestGap[] }
)

/** A request to draft. */
export interface DraftAsked {
  kind: StartedKind
  /** The chart's own id of the prescription. */
  prescription: string
  /** Values for gaps, by field. */
  given: Readonly<Record<string, string>>
}

/** A draft as shown; `stamp` changes with its content. */
export interface ShownDraft {
  draft: RequestDraft
  stamp: string
  /** The resource already started from the prescription, if its id is known. */
  startedAs: string | undefined
}
