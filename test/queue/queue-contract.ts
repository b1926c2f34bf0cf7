import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Queue } from '../../src/queue/queue.ts'
import { createHall, type Hall } from './hall.ts'

/** The behaviour that every kind of queue must show. */
export function describeQueue(name: string, createQueue: () => Promise<Queue>) {
  describe(`a queue ${name}`, () => {
    let queue: Queue
    let hall: Hall

    beforeEach(async () => {
      queue = await createQueue()
      hall = createHall()
    })
    afterEach(async () => {
      hall.open()
      await queue.close()
    })

    /** With one worker, all ids that arrived before this call have been worked on when this resolves. */
    async function settle(): Promise<void> {
      await queue.enqueue('the-last')
      await hall.hasBegun('the-last')
      await hall.isEmpty()
    }

    it('runs an id enqueued before the start or after it', async () => {
      await queue.enqueue('early')
      queue.start(hall.work, 1)
      await hall.hasBegun('early')
      await queue.enqueue('late')
      await hall.hasBegun('late')
    })

    it('dedupes ids enqueued before the start', async () => {
      for (const id of ['a', 'b', 'a', 'a', 'b']) await queue.enqueue(id)
      queue.start(hall.work, 1)
      await settle()
      expect(hall.begun).toEqual(['a', 'b', 'the-last'])
    })

    it('runs an id once more if it is enqueued during its run, however often', async () => {
      hall.shut()
      queue.start(hall.work, 1)
      await queue.enqueue('a')
      await hall.hasBegun('a')
      for (let i = 0; i < 5; i++) await queue.enqueue('a')
      hall.open()
      await hall.hasBegun('a', 2)
      await hall.isEmpty()
      await settle()
      expect(hall.begun).toEqual(['a', 'a', 'the-last'])
    })

    it('runs again after every enqueue, and never holds one resource twice at once', async () => {
      hall = createHall(2)
      queue.start(hall.work, 8)
      const ids = ['a', 'b', 'c', 'd']
      const isWorkedAfter = (id: string, from: number) => hall.begun.indexOf(id, from) >= 0
      for (let round = 0; round < 40; round++) {
        const id = ids[round % ids.length] ?? 'a'
        await queue.enqueue(id)
        if (round % 3 === 0) await sleep(1)
      }
      const from = hall.begun.length
      // One that is in hand now may have begun before the last event, so enqueue all once more.
      for (const id of ids) await queue.enqueue(id)
      for (const id of ids) await expect.poll(() => isWorkedAfter(id, from)).toBe(true)
      await hall.isEmpty()
      expect(hall.overlapped).toEqual([])
    })

    it('runs at most `concurrency` resources at once', async () => {
      hall.shut()
      queue.start(hall.work, 3)
      const ids = Array.from({ length: 10 }, (_, index) => `pa_req_${index}`)
      for (const id of ids) await queue.enqueue(id)
      await expect.poll(() => hall.begun.length).toBe(3)
      hall.open()
      for (const id of ids) await hall.hasBegun(id)
      await hall.isEmpty()
      expect(hall.max).toBe(3)
      expect(hall.begun).toHaveLength(10)
    })

    it('waits for running work when it closes, and begins no more', async () => {
      hall.shut()
      queue.start(hall.work, 1)
      await queue.enqueue('a')
      await hall.hasBegun('a')
      await queue.enqueue('b')
      const closed = queue.close().then(() => 'closed')
      expect(await Promise.race([closed, sleep(50, 'open')])).toBe('open')
      hall.open()
      await closed
      expect(hall.inHand.size).toBe(0)
      expect(hall.begun).toEqual(['a'])
    })

    it('may be closed twice, and without a start', async () => {
      await queue.enqueue('a')
      await queue.close()
      await queue.close()
    })

    it.each([
      ['a colon', 'a:b'],
      ['only a colon', ':'],
      ['a number reserved by BullMQ', '0'],
      ['a prefix reserved by BullMQ', '0:1'],
      ['digits only', '123'],
      ['signs only', '~-._'],
      ['128 characters', 'x'.repeat(128)],
    ])('carries an id of %s unchanged', async (_, id) => {
      queue.start(hall.work, 1)
      await queue.enqueue(id)
      await hall.hasBegun(id)
      await queue.enqueue(id)
      await hall.hasBegun(id, 2)
      expect(new Set(hall.begun)).toEqual(new Set([id]))
    })
  })
}
