import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { nextSteps } from '../src/platform/next-steps.ts'
import { benefitsCheckRows } from '../src/prior-authorization/benefits-check-states.ts'
import { priorAuthorizationRows } from '../src/prior-authorization/states.ts'
import { control, startSandbox } from './play.ts'
import { priorAuthorization } from './requests.ts'

describe('the steps that can come next', () => {
  it('are those of the table, and each other state names its predecessors', () => {
    expect(nextSteps(priorAuthorizationRows, 'created')).toEqual(
      expect.arrayContaining([
        { to: 'processing' },
        { to: 'cancelled' },
        { to: 'awaiting_review', obstacle: 'It follows only processing.' },
      ]),
    )
  })

  it('include the state itself only if it can repeat', () => {
    expect(nextSteps(benefitsCheckRows, 'completed')).toContainEqual({ to: 'completed' })
    expect(nextSteps(benefitsCheckRows, 'waiting').map(({ to }) => to)).not.toContain('waiting')
  })
})

describe('an act that the interface forbids a PA', () => {
  it('is review in a delegated organization, by push, scenario and page', async () => {
    const { sandbox, create, read } = await startSandbox()
    const id = await create('/prior-authorization', priorAuthorization())
    sandbox.controls.push(id, 'processing')
    const { body } = await control(sandbox, 'post', `/resources/${id}/push`, { status: 'awaiting_review' }).expect(409)
    expect(body.error.legal).not.toContain('awaiting_review')
    expect(body.error.description).toContain('Only if the organization is non-delegated.')
    expect((await read(`/prior-authorization/${id}`)).status).toBe('processing')

    const push = (status: string) => ({ step: 'push', resource: 'pa', status })
    const steps = [
      { step: 'create', kind: 'prior_authorization', as: 'pa' },
      ...['processing', 'awaiting_review'].map(push),
    ]
    const { url } = await sandbox.listen()
    const scenario = { summary: 'One PA is reviewed.', steps }
    const run = (organization: object) =>
      fetch(`${url}/_sandbox/scenarios`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ scenario: { ...scenario, ...organization } }),
      })
    const refused = await run({})
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('is non-delegated')])
    expect((await run({ organization: { workflow: 'non_delegated' } })).status).toBe(200)
  })

  it('is any move of training data except its cancellation', async () => {
    const { sandbox, create } = await startSandbox()
    const id = await create('/prior-authorization', priorAuthorization({ is_training_data: true }))
    for (const status of ['processing', 'failed'])
      expect(() => sandbox.controls.push(id, status)).toThrow('legal next: cancelled. Only if it is not training data.')
    const end = () =>
      request(sandbox.app)
        .post(`/_sandbox/pages/cases/${id}/end`)
        .type('form')
        .send({ outcome: 'Denied/plan_exclusion' })
    expect((await end()).status).toBe(409)
    expect(sandbox.controls.push(id, 'cancelled').status).toBe('cancelled')
  })
})
