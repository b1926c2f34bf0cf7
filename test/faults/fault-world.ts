import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom, type Random } from '../../packages/sandbox/src/platform/random.ts'
import { type PawlProcesses, preparePawl } from '../support/pawl-processes.ts'
import { type PlayedService, startPlayedService } from '../support/played-service.ts'
import type { PawlProcess } from '../support/spawn-pawl.ts'
import { noteDown } from './journal.ts'

/** Processes of pawl around one ledger, the service that they follow, and the journal of what they do. */
export interface FaultWorld extends Pick<PawlProcesses, 'folder' | 'databaseUrl' | 'close'> {
  service: PlayedService
  journalPath: string
  leaseMs: number
  /** The same in every run of the test. */
  random: Random
  /** Starts a process and waits until it works; one that receives takes over the address of the one before, unless it has a PORT of its own. */
  start(role: 'all' | 'receiver' | 'worker', options?: StartOptions): Promise<PawlProcess>
  /** Changes resources, drawn from so many, one after the other for so long. */
  load(options: { resources: number; forMs: number; everyMs?: number }): Promise<void>
}

export interface StartOptions {
  env?: Record<string, string>
  /** A command that becomes the process. */
  under?: readonly string[]
}

/** Makes the world, without any process yet. */
export async function startFaultWorld(options: {
  env?: Record<string, string>
  seed: number
  databaseUrl?: string
}): Promise<FaultWorld> {
  const leaseMs = 3_000
  const receiving = new Set<string>()
  const service = await startPlayedService(() => [...receiving])
  const pawls = await preparePawl({
    ...(options.databaseUrl !== undefined && { DATABASE_URL: options.databaseUrl }),
    API_BASE_URL: service.url,
    LEASE_MS: String(leaseMs),
    RETRY_ATTEMPTS: '1000',
    SWEEP_INTERVAL_MS: '300',
    SHUTDOWN_GRACE_MS: '5000',
    ...options.env,
  })
  const { folder, databaseUrl } = pawls
  const journalPath = join(folder, 'journal')
  const random = createRandom(options.seed)

  let first: Promise<unknown> | undefined

  /** The others wait until the first has made the ledger: SQLite refuses to make a file anew while another process does. */
  function start(role: string, options?: StartOptions): Promise<PawlProcess> {
    const starting = (first ?? Promise.resolve()).then(() => begin(role, options))
    first ??= starting
    return starting
  }

  async function begin(role: string, { env = {}, under = [] }: StartOptions = {}) {
    const settings = { ROLE: role, JOURNAL: journalPath, ...env }
    const pawl = pawls.spawn(settings, { script: 'test/faults/journal-main.ts', under })
    void pawl.exited.then((code) => {
      if (code === 'SIGKILL') noteDown(journalPath, pawl.child.pid ?? 0, 'killed', '-')
    })
    await pawl.ready()
    if (role !== 'worker') receiving.add(env.PORT === undefined ? pawls.url : `http://127.0.0.1:${env.PORT}`)
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
    async load({ resources, forMs, everyMs = 10 }) {
      const end = performance.now() + forMs
      while (performance.now() < end) {
        service.change(`pa_req_${Math.floor(random.next() * resources)}`)
        await sleep(everyMs)
      }
    },
    async close() {
      await pawls.close()
      await service.close()
    },
  }
}
