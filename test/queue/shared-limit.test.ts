import { expect, it } from 'vitest'
import { createInProcessQueue } from '../../src/queue/in-process-queue.ts'
import { createSharedLimit } from '../../src/queue/open-queues.ts'
import { until } from '../support/until.ts'
import { createHall } from './hall.ts'
import { describeQueue } from './queue-contract.ts'

describeQueue('under a shared limit', () => Promise.resolve(createSharedLimit()(createInProcessQueue())))

it('two queues with a shared limit together run no more than one may, and skip none', async () => {
  const hall = createHall()
  hall.shut()
  const shareLimit = createSharedLimit()
  const queues = [shareLimit(createInProcessQueue()), shareLimit(createInProcessQueue())]
  for (const queue of queues) queue.start(hall.work, 3)
  const ids = Array.from({ length: 20 }, (_, n) => `pa_req_${n}`)
  for (const [n, id] of ids.entries()) await queues[n % 2]?.enqueue(id)
  await until('as many as may be are in hand', () => hall.inHand.size === 3)
  hall.open()
  await until('all are done', () => hall.begun.length === 20 && hall.inHand.size === 0)
  expect(hall.max).toBe(3)
  await Promise.all(queues.map((queue) => queue.close()))
})

it('a queue without workers keeps only as many ids as memory allows', async () => {
  const hall = createHall()
  const queue = createInProcessQueue()
  for (let n = 0; n < 30_000; n += 1) await queue.enqueue(`pa_req_${n}`)
  queue.start(hall.work, 1_000)
  await until('what was kept is begun', () => hall.begun.length >= 10_000)
  await queue.enqueue('the-last')
  await hall.hasBegun('the-last')
  expect(hall.begun).toHaveLength(10_001)
  await queue.close()
})
