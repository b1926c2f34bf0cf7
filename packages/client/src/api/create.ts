import { z } from 'zod'
import { Created } from '../schemas/answers.ts'
import { lenient, lenientOf } from '../schemas/lenient.ts'
import { InitialOutreach } from '../schemas/provider-outreach.ts'
import { unreadableSuccess } from './read-reply.ts'
import type { ApiRequest, CallOptions } from './request.ts'
import type { Send } from './send.ts'

/** The specification does not state at which level of the answer `provider_outreach` is. */
const CreateAnswer = z
  .looseObject({ data: Created, provider_outreach: lenient(lenientOf(InitialOutreach)) })
  .transform(({ data, provider_outreach }) => ({
    ...data,
    provider_outreach: data.provider_outreach ?? provider_outreach,
  }))

/** The kinds whose creation is reported to `OnCreated`: those that pawl follows. */
export type CreatedKind = 'prior_authorization' | 'benefit_verification'

/** Called for every PA and BV that the client creates, before the create resolves. Its errors are ignored: the resource exists, and the caller must get its id. */
export type OnCreated = (kind: CreatedKind, id: string) => void | Promise<void>

/** Sends a create, without retry once it may have arrived, and reports it to `listener`. Throws the errors of Send, and ApiOutcomeUnknown when the answer has no id. */
export async function create(
  send: Send,
  what: { route: string; body: unknown; charges?: Record<string, number>; options: CallOptions | undefined },
  listener?: { kind: CreatedKind; onCreated: OnCreated },
): Promise<Created> {
  const request: ApiRequest = { ...what, method: 'POST', repeatable: false }
  const answer = CreateAnswer.safeParse(await send(request))
  if (!answer.success) throw unreadableSuccess(request, request, 'unexpected_shape')
  const created = answer.data
  try {
    await listener?.onCreated(listener.kind, created.id)
  } catch {
    // A failing listener must not fail the call.
  }
  return created
}
