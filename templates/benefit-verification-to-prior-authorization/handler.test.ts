import { expect, it, onTestFinished } from 'vitest'
import { ApiOutcomeUnknown, ApiUnreachable, type Api, createApi, type Effect } from '#pawl'
import { createSandbox } from '../../packages/sandbox/src/sandbox.ts'
import { createHandlerStand, handlerContext } from '../../test/support/handler-context.ts'
import { prescription } from '../../packages/sandbox/src/sample-requests.ts'
import { sampleBenefitVerification } from '../../test/support/samples.ts'
import type { PriorAuthorizationRequest } from '../draft-of.ts'
import createHandler, { type FindPrescription } from './handler.ts'

const event = 'benefit_verification.status_change'
const place = { method: 'POST', route: '/prior-authorization' }
const needy = { name: 'Exampline', dosage: '10 mg', quantity: 30, prior_authorization_required: 'yes' }

/** A chart, the effects that were recorded, and a service that fails as the test says. */
function createStand(find: FindPrescription = async () => prescription) {
  const created: PriorAuthorizationRequest[] = []
  const failures: Error[] = []
  const effects = new Map<string, string>()
  const stand = {
    ...createHandlerStand(),
    // The handler calls nothing else.
    api: {
      async createPriorAuthorization(request: PriorAuthorizationRequest) {
        const failure = failures.shift()
        if (failure !== undefined) throw failure
        created.push(request)
        return { id: `pa_req_${created.length}` }
      },
    } as Partial<Api> as Api,
    async once<Result>(key: string, effect: Effect<Result>): Promise<Result> {
      const recorded = effects.get(key) ?? JSON.stringify(await effect({ mayHaveRun: false }))
      effects.set(key, recorded)
      // The recorded text is the result of this effect.
      return JSON.parse(recorded) as Result
    },
  }
  const handler = createHandler(find)
  const run = (different: Record<string, unknown>) =>
    handler.handle(handlerContext(event, sampleBenefitVerification(different), stand))
  return { ...stand, created, failures, effects, run }
}

it('creates one PA for each drug that requires one, however often it runs', async () => {
  const { run, created, effects, ehr } = createStand()
  const drugs = [needy, { ndc: '00000-0000-02', quantity: 4, prior_authorization_required: 'yes' }]
  await run({ drugs })
  await run({ drugs: drugs.toReversed() })
  expect(created).toHaveLength(2)
  expect(created[0]).toMatchObject({
    patient: { internal_id: 'patient-7' },
    insurance_content: { member_number: 'M-100' },
    prescription,
  })
  expect(JSON.stringify([...effects])).not.toContain('Exampline')
  expect(ehr.writes).toBe(0)
})

it('leaves alone drugs that need none or have one, and BVs that failed, run, or belong to a PA', async () => {
  const { run, created, ehr } = createStand()
  await run({ drugs: [{ ...needy, has_active_prior_auth: true }] })
  for (const answer of ['no', 'not_applicable', null])
    await run({ drugs: [{ ...needy, prior_authorization_required: answer }] })
  for (const status of ['pending', 'failed', 'cancelled']) await run({ status, drugs: [needy] })
  await run({ triggered_by_pa_id: 'pa_req_9', drugs: [needy] })
  expect([created.length, ehr.writes]).toEqual([0, 0])
})

it('opens one task where there is no prescription, and creates nothing later on its own', async () => {
  let found: typeof prescription | undefined
  const { run, created, ehr } = createStand(async () => found)
  await run({ drugs: [needy] })
  found = prescription
  await run({ drugs: [needy] })
  expect([created.length, ehr.writes]).toEqual([0, 1])
  expect(ehr.resources('Task')).toMatchObject([
    { status: 'requested', businessStatus: { text: 'prescription_missing' } },
  ])
})

it('opens a task instead of a second PA where the outcome of the first is unknown', async () => {
  const { run, created, failures, ehr } = createStand()
  failures.push(new ApiOutcomeUnknown(place, 'timeout', false))
  await run({ drugs: [needy] })
  await run({ drugs: [needy] })
  expect([created.length, ehr.writes]).toEqual([0, 1])
  expect(ehr.resources('Task')).toMatchObject([{ businessStatus: { text: 'api_outcome_unknown' } }])
})

it('is tried again where the service could not be reached', async () => {
  const { run, created, failures, ehr } = createStand()
  failures.push(new ApiUnreachable(place, 'ECONNREFUSED'))
  await expect(run({ drugs: [needy] })).rejects.toBeInstanceOf(ApiUnreachable)
  await run({ drugs: [needy] })
  expect([created.length, ehr.writes]).toEqual([1, 0])
})

it('sends what the service takes, and makes a task of what it would not', async () => {
  const sandbox = createSandbox({ speed: 0 })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const api = createApi({ baseUrl: url, token: await sandbox.issueToken() })
  const ids: string[] = []
  const recording: Api = {
    ...api,
    async createPriorAuthorization(request, options) {
      const answer = await api.createPriorAuthorization(request, options)
      ids.push(answer.id)
      return answer
    },
  }
  const stand = { ...createHandlerStand(), api: recording }
  const handler = createHandler(async () => prescription)
  await handler.handle(handlerContext(event, sampleBenefitVerification({ drugs: [needy] }), stand))
  const [id = ''] = ids
  expect(await api.getPriorAuthorization(id)).toMatchObject({ patient: { internal_id: 'patient-7' } })
  expect(stand.ehr.writes).toBe(0)
  await handler.handle(
    handlerContext(event, sampleBenefitVerification({ drugs: [needy], provider: { npi: '1234567893' } }), stand),
  )
  expect(ids).toHaveLength(1)
  expect(stand.ehr.resources('Task')).toMatchObject([{ businessStatus: { text: 'request_invalid' } }])
})
