import { expect, it } from 'vitest'
import { shrinkSteps, withoutStep } from '../src/shrink.ts'
import type { Step } from '../src/steps.ts'

const create: Step = { do: 'create_pa', result: 'Denied', transfer: false }
const message = (pa: number): Step => ({ do: 'message', pa })
const settle: Step = { do: 'settle' }

it('a list that fails is left with the steps without which it holds', async () => {
  const isMessageThenKill = (steps: readonly Step[]) => {
    const at = steps.findIndex((step) => step.do === 'message')
    return at >= 0 && steps.slice(at).some((step) => step.do === 'kill')
  }
  const steps: Step[] = [create, settle, message(0), settle, { do: 'restart' }, { do: 'kill' }, settle]
  const shortest = await shrinkSteps(steps, (shorter) => Promise.resolve(isMessageThenKill(shorter)))
  expect(shortest).toEqual([create, message(0), { do: 'kill' }])
})

it('where a PA goes, all that is about it goes too, and the others are still themselves', () => {
  const steps = [create, create, create, message(0), message(1), message(2)]
  expect(withoutStep(steps, 1)).toEqual([create, create, message(0), message(1)])
})

it('the steps about a BV do not suffer from the going of a PA', () => {
  const steps: Step[] = [create, { do: 'create_bv', fails: false }, { do: 'move_bv', bv: 0, to: 'completed' }]
  expect(withoutStep(steps, 0)).toEqual(steps.slice(1))
})

it('a list of many faults, none of which matters, is short after a few trials', async () => {
  const faults = Array.from({ length: 40 }, (_, at): Step[] => [
    { do: 'fail', system: at % 2 === 0 ? 'chart' : 'pharmacy', fault: '503', times: 1, handler: `handler-${at % 7}` },
    { do: 'activity', pa: 0, type: 'sent_fax' },
  ])
  const steps: Step[] = [create, ...faults.flat(), message(0)]
  let trials = 0
  const shortest = await shrinkSteps(steps, (shorter) => {
    trials += 1
    return Promise.resolve(shorter.some((step) => step.do === 'message'))
  })
  expect(shortest).toEqual([create, message(0)])
  expect(trials).toBeLessThan(12)
})

it('the PA that a verdict names is tried alone before anything else', async () => {
  const steps: Step[] = [create, create, { do: 'create_bv', fails: false }, create, message(1), message(0), message(2)]
  const tried: (readonly Step[])[] = []
  const trial = (shorter: readonly Step[]) => {
    tried.push(shorter)
    return Promise.resolve(shorter.some((step) => step.do === 'message'))
  }
  const because = 'PA 2: invoice-to-billing repeated a request to billing.example'
  expect(await shrinkSteps(steps, trial, because)).toEqual([create, message(0)])
  expect(tried[0]).toEqual([create, message(0)])
  // Without a name, all resources are tried.
  expect(await shrinkSteps(steps, trial)).toHaveLength(2)
})

it('where a verdict compares two PAs, the named one is tried with one witness before anything else', async () => {
  const fault = { do: 'fail', system: 'own', fault: '503', times: 1, spares: 3 } as const
  const { spares: _, ...withoutTwin } = fault
  const steps: Step[] = [create, create, fault, create, create, message(1), message(3), message(0)]
  const pair: Step[] = [create, { ...fault, spares: 1 }, create, message(0), message(1)]
  const tried: (readonly Step[])[] = []
  const trial = (shorter: readonly Step[]) => {
    tried.push(shorter)
    return Promise.resolve(shorter.filter((step) => step.do === 'message').length > 1)
  }
  await shrinkSteps(steps, trial, 'PA 1: orders-sync did not report completed, as it did for PA 3')
  expect(tried.slice(0, 2)).toEqual([[create, withoutTwin, message(0)], pair])
  // Without another name, the ones created beside it are tried.
  tried.length = 0
  const shortest = await shrinkSteps(steps, trial, 'PA 1: orders-sync did not report completed')
  expect(tried[1]).toEqual([create, create, withoutTwin, message(1), message(0)])
  expect(shortest.filter((step) => step.do === 'create_pa')).toHaveLength(2)
})
