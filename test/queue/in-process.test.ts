import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, it } from 'vitest'
import { createInProcessQueue } from '../../src/queue/in-process-queue.ts'
import { describeQueue } from './queue-contract.ts'

describeQueue('in one process', () => Promise.resolve(createInProcessQueue()))

it('queued work does not run in the context of its enqueuing', async () => {
  const context = new AsyncLocalStorage<string>()
  const queue = createInProcessQueue()
  const seen = new Promise((resolve) => {
    queue.start(() => {
      resolve(context.getStore())
      return Promise.resolve()
    }, 1)
  })
  await context.run('a handler', () => queue.enqueue('a'))
  expect(await seen).toBeUndefined()
  await queue.close()
})
