import { AssertionError } from 'node:assert'
import { describe, expect, it } from 'vitest'
import { defineHandler, type HandlerContext } from '../../../src/index.ts'
import { aPriorAuthorization, approved, aTransfer, expectIdempotent } from '../src/index.ts'
import { shippedHandlers } from '../../../templates/index.ts'

const on = ['prior_authorization.status_change'] as const
type Given = HandlerContext<(typeof on)[number]>

const to = aPriorAuthorization({ status: 'completed', outcome: approved(), prescription_transfer: aTransfer() })
const api = { sendFeedback: async () => undefined }
const say = ({ api, resource }: Given) => api.sendFeedback(resource.id, { category: 'other', message: 'Hi.' })

describe('expectIdempotent', () => {
  it('detects an effect that every run repeats', async () => {
    const handler = defineHandler({ name: 'shouts', on, handle: (context) => say(context).then(() => undefined) })
    const failure = await expectIdempotent(handler, { to, api }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(AssertionError)
    expect(failure).toHaveProperty(
      'message',
      'Rerun with the same resource, as after a crash, the effects of shouts differ from those of one run (calls): guard with once each effect that must not repeat.',
    )
  })

  it('detects an effect that repeats only after a failure midway', async () => {
    const handler = defineHandler({
      name: 'stumbles',
      on,
      async handle(context) {
        if (context.changes.isFirst && context.previous === undefined)
          await context.once('said', async () => {
            await say(context)
            await context.ehr.putPriorAuthorization(context.resource)
          })
      },
    })
    await expect(expectIdempotent(handler, { to, api })).rejects.toThrow(
      'Rerun after its call 2 failed, the effects of stumbles differ from those of one run (calls)',
    )
  })

  it('detects work that is lost after a failed call', async () => {
    const handler = defineHandler({
      name: 'forgets',
      on,
      async handle({ once, ehr, resource }) {
        let isFirst = false
        await once('begun', async () => void (isFirst = true))
        if (isFirst) await ehr.putPriorAuthorization(resource)
      },
    })
    await expect(expectIdempotent(handler, { to })).rejects.toThrow(
      'Rerun after its call 1 failed, the effects of forgets differ from those of one run (writes to the chart, resources in the chart)',
    )
  })

  it("allows repeated reads, and the scenario's repeatable calls", async () => {
    const handler = defineHandler({
      name: 'looks',
      on,
      async handle(context) {
        await context.api.getPriorAuthorization(context.resource.id)
        await say(context)
      },
    })
    const answers = { ...api, getPriorAuthorization: async () => to }
    const repeatable = ['api.sendFeedback']
    await expectIdempotent(handler, { to, api: answers, repeatable })
  })

  it('detects a handler that acts on a field beside those that it names in reads', async () => {
    const handler = defineHandler({
      name: 'peeks',
      on,
      reads: ['outcome'],
      async handle({ resource, ehr }) {
        await ehr.putPriorAuthorization(resource)
      },
    })
    await expect(expectIdempotent(handler, { to })).rejects.toThrow(
      /^After a change of other fields than reads names, the effects of peeks differ .*: name each field that it follows\.$/,
    )
    await expectIdempotent({ ...handler, reads: 'all' }, { to })
  })

  it.each(shippedHandlers.filter(({ on }) => on.every((type) => type.startsWith('prior_authorization'))))(
    'holds for $name',
    async (handler) => {
      // All of these follow PAs.
      await expectIdempotent(handler as Parameters<typeof expectIdempotent<(typeof on)[number]>>[0], { to })
    },
  )
})
