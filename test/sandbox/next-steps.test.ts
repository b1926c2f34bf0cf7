import { describe, expect, it } from 'vitest'
import { nextSteps } from '../../src/sandbox/platform/next-steps.ts'
import { benefitsCheckRows } from '../../src/sandbox/prior-authorization/benefits-check-states.ts'
import { priorAuthorizationRows } from '../../src/sandbox/prior-authorization/states.ts'
import { startSandbox } from './play.ts'
import { priorAuthorization } from './requests.ts'

describe('the steps that can come next', () => {
  it('are those of the table, and all others say after what they could come', () => {
    expect(nextSteps(priorAuthorizationRows, 'created')).toEqual(
      expect.arrayContaining([
        { to: 'processing' },
        { to: 'cancelled' },
        { to: 'awaiting_review', obstacle: 'It follows processing alone.' },
      ]),
    )
  })

  it('are none after an end', () => {
    const steps = nextSteps(priorAuthorizationRows, 'completed')
    expect(new Set(steps.map(({ obstacle }) => obstacle))).toEqual(new Set(['Nothing follows completed.']))
  })

  it('have the state itself only where it can come again', () => {
    expect(nextSteps(benefitsCheckRows, 'completed')).toContainEqual({ to: 'completed' })
    expect(nextSteps(benefitsCheckRows, 'waiting').map(({ to }) => to)).not.toContain('waiting')
  })

  it.each(['created', 'processing', 'awaiting_outcome', 'validating_outcome', 'completed'])(
    'are what a push takes or refuses after %s',
    async (from) => {
      const way = ['processing', 'awaiting_outcome', 'validating_outcome', 'completed']
      for (const { to, obstacle } of nextSteps(priorAuthorizationRows, from)) {
        const { sandbox, create } = await startSandbox()
        const id = await create('/prior-authorization', priorAuthorization())
        for (const status of way.slice(0, way.indexOf(from) + 1)) sandbox.controls.push(id, status)
        const push = () => sandbox.controls.push(id, to).status
        if (obstacle === undefined) expect(push()).toBe(to)
        else expect(push).toThrow(`${from} cannot become ${to}`)
      }
    },
  )
})
