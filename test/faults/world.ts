import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom, type Random } from '../../src/sandbox/platform/random.ts'
import { freePort, type PawlProcess, spawnPawl } from '../support/spawn-pawl.ts'
import { testEnvironment } from '../support/start-test-gateway.ts'
import { noteDown } from './journal.ts'
import { type PlayedService, startPlayedService } from './played-service.ts'

/** Processes of pawl around one ledger, the service that they follow, and the journal of what they do. */
export interface World {
  service: PlayedService
  folder: string
  databaseUrl: string
  journalPath: string
  leaseMs: number
  /** The same in every run of the test. */
  random: Random
  /** Starts a process and waits until it works; one that receives has an address of its own, which the next of the same `place` takes over. */
  start(role: 'all' | 'receiver' | 'worker', options?: StartOptions): Promise<PawlProcess>
  /** SIGKILL. */
  kill(pawl: PawlProcess): Promise<void>
  /** SIGTERM; resolves with the exit code. */
  stop(pawl: PawlProcess): Promise<number | NodeJS.Signals | null>
  /** Changes resources, drawn from so many, one after the other for so long. */
  load(options: { resources: number; forMs: number; everyMs?: number }): Promise<void>
  close(): Promise<void>
}

export interface StartOptions {
  env?: Record<string, string>
  place?: number
  /** A command that becomes the process. */
  under?: readonly string[]
}

const places = 2

/** Makes the world, without any process yet. */
export async function startWorld(options: {
  env?: Record<string, string>
  seed: number
  databaseUrl?: string
}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-faults-'))
  const databaseUrl = options.databaseUrl ?? `file:${join(folder, 'pawl.db')}`
  const journalPath = join(folder, 'journal')
  const leaseMs = 3_000
  const ports = await Promise.all(Array.from({ length: places }, freePort))
  const receiving = new Set<number>()
  const service = await startPlayedService(() => [...receiving].map((port) => `http://127.0.0.1:${port}`))
  const random = createRandom(options.seed)
  const processes = new Set<PawlProcess>()

  async function start(role: string, { env = {}, place = 0, under = [] }: StartOptions = {}) {
    const port = ports[place] ?? 0
    const settings = await testEnvironment({
      DATABASE_URL: databaseUrl,
      ROLE: role,
      PORT: String(port),
      JOURNAL: journalPath,
      LOG_LEVEL: 'info',
      API_BASE_URL: service.url,
      LEASE_MS: String(leaseMs),
      RETRY_ATTEMPTS: '1000',
      REST_MS: '20',
      SWEEP_INTERVAL_MS: '300',
      SHUTDOWN_GRACE_MS: '5000',
      ...options.env,
      ...env,
    })
    const pawl = spawnPawl(settings, 'test/faults/journal-main.ts', under)
    processes.add(pawl)
    void pawl.exited.then((code) => {
      if (code === 'SIGKILL') noteDown(journalPath, pawl.child.pid ?? 0, 'killed', '-')
    })
    await pawl.ready()
    if (role !== 'worker') receiving.add(port)
    return pawl
  }

  return {
    service,
    folder,
    databaseUrl,
    journalPath,
    leaseMs,
    random,
    start,
    async kill(pawl) {
      pawl.child.kill('SIGKILL')
      await pawl.exited
    },
    stop(pawl) {
      pawl.child.kill('SIGTERM')
      return pawl.exited
    },
    async load({ resources, forMs, everyMs = 10 }) {
      const end = performance.now() + forMs
      while (performance.now() < end) {
        service.change(`pa_req_${Math.floor(random.next() * resources)}`)
        await sleep(everyMs)
      }
    },
    async close() {
      for (const { child } of processes) child.kill('SIGKILL')
      await Promise.all([...processes].map(({ exited }) => exited))
      await service.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
