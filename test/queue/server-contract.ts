import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Queue, QueueUnavailable } from '../../src/queue/queue.ts'
import { createSharedQueue } from '../../src/queue/shared-queue.ts'
import { captureLog, type LogCapture } from '../support/log-capture.ts'
import { until } from '../support/until.ts'
import { createHall, type Hall } from './hall.ts'

const execute = promisify(execFile)

/** A real server that carries a queue, for one test. */
export interface QueueServer {
  url: string
  /** Kills it. */
  stop(): Promise<void>
  /** Starts it again on the same port. */
  start(): Promise<void>
  /** Freezes it: connections stay open, and nothing answers. */
  pause(): void
  resume(): void
  /** Throws away all that the queue keeps in it. Absent: it keeps nothing. */
  empty?(): Promise<unknown>
  /** How many connections pawl has. */
  connections(): Promise<number>
  close(): Promise<void>
}

/** The behaviour that every kind of queue with a server must show, besides that of queue-contract.ts. */
export function describeServedQueue(name: string, startServer: () => Promise<QueueServer>) {
  describe(`a queue whose ${name}`, () => {
    let server: QueueServer
    let log: LogCapture
    let hall: Hall
    let queue: Queue
    let sender: Queue
    const open = ({ log }: LogCapture) => createSharedQueue({ url: server.url, log })

    beforeEach(async () => {
      server = await startServer()
      log = captureLog()
      hall = createHall()
      queue = await open(log)
      sender = await open(captureLog())
    })
    afterEach(async () => {
      hall.open()
      await Promise.all([queue.close(), sender.close()])
      await server.close()
    })

    const enqueueUntilWorked = (id: string) =>
      until(`${id} is worked on`, async () => {
        await sender.enqueue(id).catch(() => undefined)
        return hall.begun.includes(id)
      })

    it('is shared carries ids from one process to others, and never runs one resource twice at once', async () => {
      const halls = [createHall(1), createHall(1)]
      const queues = await Promise.all(halls.map(() => open(log)))
      for (const [at, worker] of queues.entries()) worker.start(halls[at]?.work ?? hall.work, 4)
      for (let i = 0; i < 30; i++) await sender.enqueue(`pa_req_${i % 10}`)
      await until('all ten were begun', () => new Set(halls.flatMap(({ begun }) => begun)).size === 10)
      await Promise.all(queues.map((worker) => worker.close()))
      expect(halls.flatMap(({ overlapped }) => overlapped)).toEqual([])
    })

    it('counts connections has none of them left after the close', async () => {
      queue.start(hall.work, 1)
      await queue.enqueue('a')
      expect(await server.connections()).toBeGreaterThan(0)
      await Promise.all([queue.close(), sender.close()])
      await until('no connection is left', async () => (await server.connections()) === 0)
    })

    it('is stopped refuses jobs at once, and recovers by itself after a restart', async () => {
      queue.start(hall.work, 2)
      await enqueueUntilWorked('before')
      await server.stop()
      for (let i = 0; i < 50; i++) await expect(queue.enqueue(`lost-${i}`)).rejects.toThrow(QueueUnavailable)
      await server.start()
      await enqueueUntilWorked('after')
      // A server that is still starting up may turn the queue away once more.
      expect(
        log
          .lines()
          .map(({ msg }) => msg)
          .slice(0, 2),
      ).toEqual([
        expect.stringMatching(/^queue unavailable: the sweeper takes over until [A-Z_]+ answers$/),
        'queue available again',
      ])
    })

    it('is down at the start neither crashes nor hangs the process, and works once it is up', async () => {
      await queue.close()
      await server.stop()
      queue = await open(log)
      queue.start(hall.work, 2)
      await expect(queue.enqueue('a')).rejects.toThrow(QueueUnavailable)
      await server.start()
      await enqueueUntilWorked('b')
    })

    it('hangs refuses jobs in bounded time, and takes them again when it responds', async () => {
      await queue.enqueue('a')
      server.pause()
      await expect(queue.enqueue('b')).rejects.toThrow(QueueUnavailable)
      server.resume()
      queue.start(hall.work, 2)
      await enqueueUntilWorked('c')
    })

    it('lost all its data runs later jobs, also of a resource in progress', async () => {
      hall.shut()
      queue.start(hall.work, 2)
      await queue.enqueue('a')
      await hall.hasBegun('a')
      await queue.enqueue('a')
      await server.empty?.()
      await queue.enqueue('b')
      await hall.hasBegun('b')
      hall.open()
      await hall.isEmpty()
      await queue.enqueue('a')
      await hall.hasBegun('a', 2)
    })

    it('stops during the work lets the work finish and the queue close', async () => {
      hall.shut()
      queue.start(hall.work, 2)
      await queue.enqueue('a')
      await hall.hasBegun('a')
      await server.stop()
      const closed = queue.close()
      hall.open()
      await closed
      expect(hall.inHand.size).toBe(0)
    })

    it('hangs lets the queue close', async () => {
      queue.start(hall.work, 2)
      await enqueueUntilWorked('a')
      server.pause()
      await queue.close()
      server.resume()
    })

    it.each([
      ['is up', async () => {}],
      ['is down', () => server.stop()],
      ['hangs', async () => server.pause()],
    ])('%s lets a process end after the close', async (_, prepare) => {
      await prepare()
      const script = `
        const { createSharedQueue } = await import('./src/queue/shared-queue.ts')
        const log = { debug() {}, info() {}, warn() {}, error() {} }
        const queue = await createSharedQueue({ url: process.argv[1], log })
        queue.start(async () => {}, 2)
        await queue.enqueue('a').catch(() => {})
        await new Promise((resolve) => setTimeout(resolve, 300))
        await queue.close()
        console.log('closed')`
      const args = ['--conditions=source', '--import', 'tsx', '--input-type=module', '--eval', script, server.url]
      const { stdout, stderr } = await execute(process.execPath, args, { timeout: 60_000 })
      expect({ stdout, stderr }).toEqual({ stdout: 'closed\n', stderr: '' })
    })
  })
}
