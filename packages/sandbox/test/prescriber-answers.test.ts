import { describe, expect, it } from 'vitest'
import { testValues } from '../src/platform/test-values.ts'
import { startSandbox } from './play.ts'
import { priorAuthorization } from './requests.ts'

const { mock_result: _, provider, ...request } = priorAuthorization()
const approved = priorAuthorization({ mock_result: { result: 'Approved', detail_code: 'approval' } })

/** A pharmacy's PA with outreach that runs until it waits for its prescriber. */
async function startWaiting(fax = '555-0100') {
  const started = await startSandbox({ organizations: [{ id: 'org_p', pharmacy: true }] })
  const asked = { ...request, provider: { ...provider, fax }, provider_outreach: { enabled: true } }
  const { body } = await started.call('post', '/prior-authorization', asked).expect(200)
  const { id, provider_outreach: outreach } = body.data
  const status = async (): Promise<string> => (await started.read(`/prior-authorization/${id}`)).status
  const [first, second] = outreach.attempts
  return { ...started, id, status, first: String(first.id), second: String(second.id) }
}

/** Steps until the PA has the status. */
async function stepTo({ sandbox, status }: Waiting, wanted: string) {
  while ((await status()) !== wanted && sandbox.controls.step() !== undefined);
  expect(await status()).toBe(wanted)
}

type Waiting = Awaited<ReturnType<typeof startWaiting>>

function stateOf({ sandbox, id }: Waiting, attempt: string): string | undefined {
  return sandbox.controls.outreach(id).find((one) => one.id === attempt)?.state
}

/** Lets the prescriber answer the attempt, from wherever it stands. */
function answer(world: Waiting, attempt: string): void {
  const path = ['created', 'sent', 'delivered', 'responded']
  for (const state of path.slice(path.indexOf(stateOf(world, attempt) ?? '') + 1))
    world.sandbox.controls.push(attempt, state)
}

describe('a prior authorization whose prescriber was asked', () => {
  it('waits in processing for the answer, then continues at once', async () => {
    const world = await startWaiting()
    await stepTo(world, 'awaiting_provider_response')
    const { outcome } = await world.read(`/prior-authorization/${world.id}`)
    expect(outcome.detail_code).toBe('more_information_required')
    answer(world, world.first)
    expect(await world.status()).toBe('processing')
    await stepTo(world, 'awaiting_outcome')
  })

  it('does not wait for an answer that has already come', async () => {
    const world = await startWaiting()
    await stepTo(world, 'processing')
    answer(world, world.second)
    const seen = new Set<string>()
    do seen.add(await world.status())
    while (world.sandbox.controls.step() !== undefined)
    expect(seen).not.toContain('awaiting_provider_response')
    expect(seen).toContain('awaiting_outcome')
  })

  it('continues after a while if no prescriber can be reached', async () => {
    const world = await startWaiting(testValues.unreachableFax)
    await stepTo(world, 'awaiting_provider_response')
    world.sandbox.controls.push(world.second, stateOf(world, world.second) === 'delivered' ? 'expired' : 'failed')
    expect(await world.status()).toBe('awaiting_provider_response')
    await stepTo(world, 'processing')
    await stepTo(world, 'awaiting_outcome')
  })

  it('waits for an initiated authorization, and continues once the provider has signed', async () => {
    const { sandbox, call, create, read } = await startSandbox()
    const { first_name, last_name, npi } = provider
    await call('post', '/provider/authorize', { first_name, last_name, npi }).expect(200)
    const ids = [
      await create('/prior-authorization', approved),
      await create('/prior-authorization', approved),
      await create('/prior-authorization', { ...approved, provider: { ...provider, npi: '1999999992' } }),
    ]
    const statuses = async () => Promise.all(ids.map(async (id) => (await read(`/prior-authorization/${id}`)).status))
    sandbox.controls.setClock({ advanceMs: 50 * 60_000 })
    const [one, two, other] = await statuses()
    expect([one, two]).toEqual(['awaiting_provider_response', 'awaiting_provider_response'])
    expect(other).not.toBe('awaiting_provider_response')
    sandbox.controls.signProvider(npi)
    expect((await statuses()).slice(0, 2)).toEqual(['processing', 'processing'])
    while (sandbox.controls.step() !== undefined);
    expect(await statuses()).toEqual(['completed', 'completed', 'completed'])
  })
})
