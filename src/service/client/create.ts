import { z } from 'zod'
import { Created } from '../schemas/answers.ts'
import { lenient, lenientOf } from '../schemas/lenient.ts'
import { InitialOutreach } from '../schemas/provider-outreach.ts'
import { unreadableSuccess } from './read-reply.ts'
import type { ApiRequest, CallOptions } from './request.ts'
import type { Send } from './send.ts'

/** The specification does not say at which level of the answer `provider_outreach` is. */
const CreateAnswer = z
  .looseObject({ data: Created, provider_outreach: lenient(lenientOf(InitialOutreach)) })
  .transform(({ data, provider_outreach }) => ({
    ...data,
    provider_outreach: data.provider_outreach ?? provider_outreach,
  }))

/** The kinds whose creation is reported to `OnCreated`: those that are followed afterwards. */
export type CreatedKind = 'prior_authorization' | 'benefit_verification'

/** Called for every PA and BV that the client creates, before the create resolves. Whatever it throws is ignored: the resource exists, and the caller must get its id. */
export type OnCreated = (kind: CreatedKind, id: string) => void | Promise<void>

/** Sends a create, which is never repeated once it may have arrived, and reports it to `listener`. Throws as Send does, and ApiOutcomeUnknown when the answer has no id. */
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
    // Reporting it is up to the listener.
  }
  return created
}
