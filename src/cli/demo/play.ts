import { setTimeout as sleep } from 'node:timers/promises'
import { ndpSubmission } from '../../sandbox/sample-requests.ts'
import type { Journey } from './journey.ts'
import { benefitVerificationRequest, priorAuthorizationRequest } from './requests.ts'
import { organization, type Stage } from './stage.ts'

/** The resources of the story: id and what it is about. */
export type Cast = ReadonlyMap<string, string>

/** Plays the story: creates, cancels and talks as a partner and the service would; resolves once nothing moves any more. */
export async function play(stage: Stage, { name, service: say }: Journey): Promise<Cast> {
  const { api, sandbox } = stage
  const cast = new Map<string, string>()
  const enter = (id: string, title: string) => {
    cast.set(id, title)
    name(id, title)
    say(id, `created as ${id}`)
    return id
  }
  const create = async (title: string, fields: Parameters<typeof priorAuthorizationRequest>[0]) =>
    enter((await api.createPriorAuthorization(priorAuthorizationRequest(fields))).id, title)

  await create('PA, approved, transferred', { mock_result: { result: 'Approved' }, ndp_submission: ndpSubmission })
  await create('PA, denied', {
    mock_result: { result: 'Denied', detail_code: 'step_therapy_criteria_not_met' },
  })
  const cancelled = await create('PA, cancelled', { mock_result: { result: 'Approved' } })
  await create('PA, information missing', {
    mock_result: { result: 'Not Submitted', detail_code: 'more_information_required' },
  })
  // Non-delegated organizations review before anything is submitted; here nobody does.
  sandbox.controls.putOrganization({ id: organization, workflow: 'non_delegated', manualReview: true })
  const waiting = await create('PA, waits for review', { mock_result: { result: 'Approved' } })
  enter((await api.createBenefitVerification(benefitVerificationRequest)).id, 'BV of three drugs')

  await sleep(1_500)
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
    await sleep(300)
  }
  await quiet(stage)
  await repeat(stage, cast, say)
  await quiet(stage)
  return cast
}

/** What webhooks are like in the wild: the newest delivery of each resource comes again, one twice, and one of the oldest comes late. */
async function repeat({ sandbox }: Stage, cast: Cast, say: Journey['service']): Promise<void> {
  const ids = [...cast.keys()]
  for (const [index, id] of ids.entries()) {
    const newest = sandbox.controls.deliveries({ resourceId: id }).at(-1)
    if (newest === undefined) continue
    for (let copies = index === 0 ? 2 : 1; copies > 0; copies -= 1) sandbox.controls.redeliver(newest.id)
    say(id, 'its newest webhook is delivered again')
  }
  const [first] = ids
  if (first === undefined) return
  // After the copies, whose rule it would otherwise break: a stale one is news to whoever knows no order.
  await sleep(300)
  sandbox.controls.redeliverStale(first)
  say(first, 'its first webhook comes once more, hours late')
}

/** Resolves once the service has nothing to do and pawl nothing due. */
async function quiet({ sandbox, gateway }: Stage): Promise<void> {
  await sandbox.settled()
  while ((await gateway.ledger.counts()).due > 0) await sleep(50)
}
