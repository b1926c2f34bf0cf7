import { z } from 'zod'
import { open } from '../resources/open.ts'
import type { Caller } from './caller.ts'
import { unreadableSuccess } from './answer.ts'
import type { Call, CallOptions } from './request.ts'

/** What every create answers with; `provider_outreach` is there where a PA asked for outreach (specification, POST /prior-authorization). */
const Created = z.looseObject({ id: z.string().min(1), provider_outreach: open(z.looseObject({})) })
export type Created = z.infer<typeof Created>

/** The specification does not say on which level of the answer `provider_outreach` stands. */
const CreateAnswer = z
  .looseObject({ data: Created, provider_outreach: Created.shape.provider_outreach })
  .transform(({ data, provider_outreach }) => ({
    ...data,
    provider_outreach: data.provider_outreach ?? provider_outreach,
  }))

/** The kinds whose creation is told of, since they are followed up. */
export type CreatedKind = 'prior_authorization' | 'benefit_verification'

/** Hears of every PA and BV that the client creates, before the create resolves. What it throws is passed over: the resource exists, and must not look as if it did not. */
export type OnCreated = (kind: CreatedKind, id: string) => void | Promise<void>

/** Sends a create, which is never repeated once it may have arrived, and tells of it. Throws as Caller does, and ApiOutcomeUnknown when the answer has no id. */
export async function create(
  call: Caller,
  what: { route: string; body: unknown; charges?: Record<string, number>; options: CallOptions | undefined },
  told?: { kind: CreatedKind; onCreated: OnCreated },
): Promise<Created> {
  const request: Call = { ...what, method: 'POST', repeatable: false }
  const answer = CreateAnswer.safeParse(await call(request))
  if (!answer.success) throw unreadableSuccess(request, request, 'unexpected_shape')
  const created = answer.data
  if (told !== undefined) {
    try {
      await told.onCreated(told.kind, created.id)
    } catch {
      // Its owner reports it; the id must reach the caller.
    }
  }
  return created
}
