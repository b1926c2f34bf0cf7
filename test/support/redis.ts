import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { describe } from 'vitest'
import { atExit } from './at-exit.ts'
import { needs } from './needs.ts'
import { pauseProcess } from './pause-process.ts'
import { nextPort } from './spawn-pawl.ts'

/** A real Redis on 127.0.0.1 that keeps nothing on disk. */
export interface TestRedis {
  url: string
  /** Kills it; what it held is gone. */
  stop(): Promise<void>
  /** Starts it again, empty, on the same port. */
  restart(): Promise<void>
  /** Freezes it: connections stay open, and nothing answers. */
  pause(): void
  resume(): void
  /** Makes it a read-only replica of another one, with that one's data. */
  follow(primary: TestRedis): Promise<void>
  flushAll(): Promise<void>
  /** Names of all keys, sorted. */
  keys(): Promise<string[]>
  /** All keys with all that they hold, as one text. */
  dump(): Promise<string>
  /** Clients that are connected, besides the one that asks. */
  clients(): Promise<number>
  /** Records every command that it gets from now on, those of scripts included. */
  monitor(): Promise<{ text(): string; stop(): void }>
  close(): Promise<void>
}

const program = needs('redis-server')

/** `describe` where redis-server is installed. */
export const describeWithRedis = describe.skipIf(program === undefined)

/** Starts redis-server as a child process that does not outlive the tests; `options` of its command line are added. */
export async function startRedis(...options: string[]): Promise<TestRedis> {
  if (program === undefined) throw new Error('redis-server is not installed: use describeWithRedis')
  const folder = await mkdtemp(join(tmpdir(), 'pawl-redis-'))
  let { server, port } = await startOnFreePort(program, folder, options)
  const url = `redis://127.0.0.1:${port}`
  const kill = () => void server.kill('SIGKILL')
  const stay = atExit(kill)

  async function stop(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return
    kill()
    await once(server, 'exit')
  }

  async function ask<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(url, { maxRetriesPerRequest: 0 }).on('error', () => {})
    try {
      return await question(redis)
    } finally {
      redis.disconnect()
    }
  }

  return {
    url,
    stop,
    async restart() {
      await stop()
      server = await start(program, port, folder, options)
    },
    pause: () => pauseProcess(server),
    resume: () => void server.kill('SIGCONT'),
    follow: (primary) =>
      ask(async (redis) => {
        await redis.replicaof('127.0.0.1', new URL(primary.url).port)
        while (!(await redis.info('replication')).includes('master_link_status:up')) await sleep(20)
      }),
    flushAll: () => ask(async (redis) => void (await redis.flushall())),
    keys: () => ask(async (redis) => (await redis.keys('*')).toSorted()),
    dump: () => ask(dump),
    clients: () =>
      ask(
        async (redis) =>
          String(await redis.call('CLIENT', 'LIST', 'TYPE', 'normal'))
            .trimEnd()
            .split('\n').length - 1,
      ),
    monitor: () => monitor(port),
    async close() {
      await stop()
      stay()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startOnFreePort(
  path: string,
  folder: string,
  options: string[],
): Promise<{ server: ChildProcess; port: number }> {
  for (let tries = 1; ; tries++) {
    const port = nextPort()
    try {
      return { server: await start(path, port, folder, options), port }
    } catch (error) {
      if (tries === 10) throw error
    }
  }
}

async function start(path: string, port: number, folder: string, options: string[]): Promise<ChildProcess> {
  const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
  const server = spawn(path, [...settings, ...options], { stdio: ['ignore', 'pipe', 'ignore'] })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`redis-server did not start: ${said}`)))
    server.stdout.on('data', (chunk: Buffer) => {
      said += String(chunk)
      if (said.includes('Ready to accept connections')) resolve()
    })
  })
  return server
}

async function dump(redis: Redis): Promise<string> {
  const lines: string[] = []
  for (const key of (await redis.keys('*')).toSorted()) lines.push(`${key} = ${JSON.stringify(await read(redis, key))}`)
  return lines.join('\n')
}

async function read(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key)
  switch (type) {
    case 'string':
      return redis.get(key)
    case 'hash':
      return redis.hgetall(key)
    case 'list':
      return redis.lrange(key, 0, -1)
    case 'set':
      return redis.smembers(key)
    case 'zset':
      return redis.zrange(key, '0', '-1', 'WITHSCORES')
    case 'stream':
      return redis.xrange(key, '-', '+')
    case 'none':
      return 'gone since the keys were listed'
    default:
      throw new Error(`dump does not know how to read a ${type}`)
  }
}

async function monitor(port: number): Promise<{ text(): string; stop(): void }> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  // It ends with the Redis that it watches.
  socket.on('error', () => {})
  socket.write('MONITOR\r\n')
  await once(socket, 'data')
  return { text: () => Buffer.concat(chunks).toString('latin1'), stop: () => void socket.destroy() }
}
