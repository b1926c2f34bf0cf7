import { describe, expect, it } from 'vitest'
import { isSameState } from '../../packages/client/src/schemas/same-state.ts'
import { z } from 'zod'
import { eventKinds } from '../../packages/client/src/events/event-types.ts'
import { Envelope } from '../../packages/client/src/schemas/envelope.ts'
import { schemas } from '../../packages/client/src/schemas/kinds.ts'
import { startWebhook } from '../../packages/sandbox/test/play.ts'
import type { Received } from '../../packages/sandbox/test/start-receiver.ts'
import { lost, readFixture, RequestFixture } from './spec-fixtures.ts'
import { prepared, startInterfaceWorld } from './interface-world.ts'

// The compiler knows the keys of an object as any strings.
const types = Object.keys(eventKinds) as (keyof typeof eventKinds)[]

/** Everything that the sandbox sends while a BV, a PA with its transfer and a PA with outreach take their way. */
async function everything() {
  const { receiver, webhook } = await startWebhook({ events: types })
  const world = await startInterfaceWorld({ organizations: [{ id: 'org_demo', pharmacy: true, webhooks: [webhook] }] })
  for (const name of ['benefit-verification/full', 'prior-authorization/full', 'prior-authorization/outreach']) {
    const fixture = readFixture(`requests/${name}.json`, RequestFixture)
    const { status } = await world.send(fixture.operation, { body: await prepared(world, fixture) })
    expect(status).toBe(200)
  }
  world.finish()
  const [{ id } = { id: '' }] = world.sandbox.truth().prior_authorizations
  world.sandbox.controls.addMessage(id, { content: 'Please call.' })
  await world.sandbox.settled()
  return { world, received: receiver.received }
}

const newestOf = (received: Received[], type: string) =>
  received.map(({ envelope }) => envelope).findLast(({ event_type }) => event_type === type)

describe('the sandbox sends every webhook in the documented shape', () => {
  it('with its title, its fields and nothing else, which its schema reads without loss', async () => {
    const { received } = await everything()
    expect([...new Set(received.map(({ envelope }) => envelope.event_type))].toSorted()).toEqual(types.toSorted())
    for (const type of types) {
      const documented = readFixture(`envelopes/${type}.json`, z.looseObject({ title: z.string() }))
      const sent = newestOf(received, type)
      expect(Object.keys(sent ?? {}).toSorted()).toEqual(Object.keys(documented).toSorted())
      // The title of the outreach event is not told, nor any description.
      if (eventKinds[type] !== 'provider_outreach') expect(sent?.title).toBe(documented.title)
      expect(sent?.title).toMatch(/^(Benefit Verification|Prior Authorization) /)
      expect(sent?.description).toMatch(/^(A|The) .+\.$/)
      const read = Envelope.parse(sent)
      expect(lost(sent, read)).toEqual([])
      expect(lost(sent?.data, schemas[eventKinds[type]].parse(read.data))).toEqual([])
    }
  })

  it('with data in the shape of its GET', async () => {
    const { world, received } = await everything()
    const message = newestOf(received, 'prior_authorization.message')
    const pa = await world.send('GET /prior-authorization/{id}', { id: message?.data.id ?? '' })
    expect(isSameState(pa.body, { status: 'success', data: message?.data })).toBe(true)
    const verified = newestOf(received, 'benefit_verification.status_change')
    const bv = await world.send('GET /benefit-verification/{id}', { id: verified?.data.id ?? '' })
    expect(isSameState(bv.body, { status: 'success', data: verified?.data })).toBe(true)
    const fields = Object.keys(message?.data ?? {})
    for (const type of types.filter((one) => eventKinds[one] === 'prior_authorization'))
      expect([type, Object.keys(newestOf(received, type)?.data ?? {})]).toEqual([type, fields])
  })
})
