import { setTimeout as sleep } from 'node:timers/promises'
import { ndpSubmission } from '../../sandbox/sample-requests.ts'
import type { Journey } from './journey.ts'
import { type QuietDeps, waitForQuiet } from './quiet.ts'
import { benefitVerificationRequest, priorAuthorizationRequest } from '../dev/dev-requests.ts'
import { organization, type Stage } from './stage.ts'
import type { Watch } from './watch.ts'

/** A resource of the story: its id and subject. */
export type Cast = ReadonlyMap<string, string>

export interface PlayDeps extends QuietDeps {
  stage: Stage
  journey: Journey
  watch: Pick<Watch, 'steps' | 'costOf'>
}

/** Plays the story: creates, cancels and sends messages as a partner and the service would; resolves once all is quiet, or after a stall. Rejects when the signal aborts. */
export async function play({ stage, journey, watch, patienceMs, signal }: PlayDeps): Promise<Cast> {
  const { api, sandbox } = stage
  const say = (id: string, text: string) => journey.tell('service', id, text)
  const quiet = async () => {
    if (await waitForQuiet({ stage, watch, patienceMs, signal })) return true
    journey.tell('failed', undefined, `no progress for ${patienceMs / 1_000} s: the demo stops waiting`)
    return false
  }
  const cast = new Map<string, string>()
  const enter = (id: string, title: string) => {
    cast.set(id, title)
    journey.name(id, title)
    say(id, `created as ${id}`)
    return id
  }
  const create = async (title: string, fields: Parameters<typeof priorAuthorizationRequest>[0]) =>
    enter((await api.createPriorAuthorization(priorAuthorizationRequest(fields))).id, title)

  await create('PA, approved, transferred', { mock_result: { result: 'Approved' }, ndp_submission: ndpSubmission })
  await create('PA, denied', {
    mock_result: { result: 'Denied', detail_code: 'step_therapy_criteria_not_met' },
  })
  await create('PA, information missing', {
    mock_result: { result: 'Not Submitted', detail_code: 'more_information_required' },
  })
  // Non-delegated organizations review before submission; the demo never does.
  sandbox.controls.putOrganization({ id: organization, workflow: 'non_delegated', manualReview: true })
  const waiting = await create('PA, waits for review', { mock_result: { result: 'Approved' } })
  const cancelled = await create('PA, cancelled', { mock_result: { result: 'Approved' } })
  enter((await api.createBenefitVerification(benefitVerificationRequest)).id, 'BV of three drugs')

  await sleep(1_500, undefined, { signal })
  await api.cancelPriorAuthorization(cancelled, 'The patient moved to another plan.')
  say(cancelled, 'cancelled by the partner')
  const talk = [
    { direction: 'sent', content: 'Is there anything else you need from us?' },
    { direction: 'received', content: 'The chart notes of the last visit, please.' },
    { direction: 'sent', content: 'They are on their way.' },
  ] as const
  for (const message of talk) {
    sandbox.controls.addMessage(waiting, message)
    say(waiting, 'a message was added to the thread')
    await sleep(300, undefined, { signal })
  }
  if (!(await quiet())) return cast

  // Webhooks as they arrive in practice: the newest of each resource is repeated, and one of the oldest arrives late.
  const [first = ''] = cast.keys()
  for (const id of [first, ...cast.keys()]) repeatNewest(stage, say, id)
  if (!(await quiet())) return cast
  const before = watch.costOf(first)
  // After the copies: a stale delivery looks new, and a later copy would no longer be one.
  sandbox.controls.redeliverStale(first)
  say(first, 'its first webhook comes once more, hours late')
  await quiet()
  const after = watch.costOf(first)
  if (after.reads > before.reads && after.ehrWrites + after.pharmacyPosts === before.ehrWrites + before.pharmacyPosts)
    journey.tell('handle', first, 'the API answers as before: nothing to change')
  return cast
}

function repeatNewest({ sandbox }: Stage, say: (id: string, text: string) => void, id: string): void {
  const newest = sandbox.controls.deliveries({ resourceId: id }).at(-1)
  if (newest === undefined) return
  sandbox.controls.redeliver(newest.id)
  say(id, 'its newest webhook is delivered again')
}
