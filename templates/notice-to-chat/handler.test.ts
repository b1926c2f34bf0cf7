import { expect, it, onTestFinished } from 'vitest'
import type { Effect, HandlerContext } from '#pawl'
import { readConfig } from '../../src/settings/read-config.ts'
import { type FarSideAnswer, startFarSide } from '#pawl/testing'
import { handlerContext } from '../../test/support/handler-context.ts'
import { samplePriorAuthorization } from '../../test/support/samples.ts'
import handler from './handler.ts'

const event = 'prior_authorization.status_change'
const { settings } = readConfig({ ROLE: 'receiver', WEBHOOK_SECRETS: 'a-secret-of-at-least-thirty-two-characters' })

/** A chat, and a handler whose effects are recorded. */
async function start(answers: FarSideAnswer[] = []) {
  const server = await startFarSide(() => answers.shift() ?? { status: 200, body: 'ok' })
  onTestFinished(() => server.close())
  const done = new Set<string>()
  // The compiler cannot see which settings the integration declares.
  const withNotice = { ...settings, NOTICE_URL: `${server.url}/hook` } as unknown as HandlerContext['settings']
  async function once<Result>(key: string, effect: Effect<Result>): Promise<Result | undefined> {
    if (done.has(key)) return undefined
    const result = await effect({ mayHaveRun: false })
    done.add(key)
    return result
  }
  const run = (different: Record<string, unknown>) =>
    handler.handle(handlerContext(event, samplePriorAuthorization(different), { settings: withNotice, once }))
  return { run, asked: () => server.requests.map(({ body }) => body) }
}

const approved = {
  status: 'completed',
  outcome: { result: 'Approved', detail_code: 'approval', detail: 'Testa Sample may have Exampline.' },
}

it('tells a result once, by id and codes, and nothing of the patient', async () => {
  const { run, asked } = await start()
  await run(approved)
  await run(approved)
  expect(asked()).toEqual(['{"text":"Prior authorization pa_req_1: completed, Approved, approval."}'])
})

it('tells a result that changed', async () => {
  const { run, asked } = await start()
  await run({ status: 'awaiting_review' })
  await run(approved)
  expect(asked()).toEqual([expect.stringContaining('awaiting_review.'), expect.stringContaining('Approved')])
})

it('leaves alone what runs, and what was cancelled', async () => {
  const { run, asked } = await start()
  for (const status of ['created', 'processing', 'validating_outcome', 'cancelled']) await run({ ...approved, status })
  expect(asked()).toEqual([])
})

for (const [status, retry] of [
  [429, 'backoff'],
  [503, 'backoff'],
  [404, 'never'],
] as const) {
  it(`tells it later after ${status}, which is tried again: ${retry}`, async () => {
    const { run, asked } = await start([{ status, body: 'Testa Sample' }])
    await expect(run(approved)).rejects.toMatchObject({ retry, message: expect.not.stringMatching(/Testa|hook/) })
    await run(approved)
    expect(asked()).toHaveLength(2)
  })
}

it('parks where the address is not declared', async () => {
  const pa = samplePriorAuthorization(approved)
  await expect(handler.handle(handlerContext(event, pa))).rejects.toMatchObject({
    retry: 'never',
    message: 'Declare NOTICE_URL in src/integration/index.ts.',
  })
})
