import { statfs } from 'node:fs/promises'

/** Why a delivery is turned away for now. */
export type Overload = 'too_many_in_flight' | 'event_loop_late' | 'disk_full'

export interface PressureDeps {
  /** Deliveries that may be in hand at once. */
  maxInFlight: number
  /** The ledger's folder, where it is on a disk of this machine. */
  folder: string | undefined
}

/** Says when to turn deliveries away before the process, or its disk, gives out. */
export interface Pressure {
  /** Takes a delivery in hand, or says why not. */
  enter(): Overload | undefined
  /** Must follow every `enter` that said nothing. */
  leave(): void
  close(): void
}

const sampleEveryMs = 1_000
/** An event loop that is so late answers nobody in time. Milliseconds. */
const maxLateMs = 2_000
/** Room for the write-ahead log to grow until somebody looks after the disk. */
const minFreeBytes = 64 * 1024 * 1024

/** Samples the event loop and the disk once a second; deliveries in hand are counted exactly. */
export function createPressure({ maxInFlight, folder }: PressureDeps): Pressure {
  let inFlight = 0
  let sampledAt = performance.now()
  /** Samples in a row that came too late; one may be a pause of the whole machine. */
  let lateSamples = 0
  let isDiskFull = false

  async function sample(): Promise<void> {
    // By the time since the last sample: the histogram of perf_hooks leaves out a hold-up that begins right after its reset.
    const passedMs = performance.now() - sampledAt
    sampledAt += passedMs
    lateSamples = passedMs > maxLateMs ? lateSamples + 1 : 0
    if (folder === undefined) return
    // Where the disk cannot be asked, the commit itself will say.
    const disk = await statfs(folder).catch(() => undefined)
    isDiskFull = disk !== undefined && disk.bavail * disk.bsize < minFreeBytes
  }
  const timer = setInterval(() => void sample(), sampleEveryMs).unref()
  void sample()

  return {
    enter() {
      if (isDiskFull) return 'disk_full'
      if (lateSamples >= 2) return 'event_loop_late'
      if (inFlight >= maxInFlight) return 'too_many_in_flight'
      inFlight += 1
      return undefined
    },
    leave() {
      inFlight -= 1
    },
    close() {
      clearInterval(timer)
    },
  }
}
