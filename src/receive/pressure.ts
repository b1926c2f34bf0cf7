import { PawlError } from '@pawl/base/errors'
import type { ReadDiskRoom } from '@pawl/ledger/upkeep/disk-room'

/** Why a delivery is turned away. */
export type Overload = 'too_many_in_flight' | 'event_loop_late' | 'disk_full'

/** A delivery answered with 503 for lack of capacity. */
export class DeliveryShed extends PawlError {
  readonly code: Overload

  constructor(code: Overload) {
    super('The receiver is overloaded; send the delivery again.')
    this.code = code
  }
}

export interface PressureDeps {
  /** Max deliveries in flight. */
  maxInFlight: number
  /** Max bytes of memory for their bodies. */
  maxInFlightBytes: number
  /** Reads the free space of the ledger's disk, if local. */
  readDiskRoom: ReadDiskRoom | undefined
}

/** One delivery in flight. */
export interface InHand {
  /** Counts bytes of its body as they arrive; false if there is no room for them and their parsed form. */
  reserve(bytes: number): boolean
  /** Counts the fields and elements of its body before parsing. Throws `DeliveryShed`. */
  reserveValues(this: void, values: number): void
  /** Must be called once the delivery is answered. */
  leave(): void
}

/** Decides when to turn deliveries away, before the process or its disk gives out. */
export interface Pressure {
  /** Admits a delivery. Throws `DeliveryShed`. */
  enter(): InHand
  close(): void
}

/** Bytes of memory for each byte of a body: chunks, one buffer, text, the values' own text, the ledger thread's copy, sealed. */
export const memoryPerByte = 6
/** Bytes of memory for each field or element: empty lists and objects take 56 to 64, a field with a unique name about 100. */
const memoryPerValue = 100

const sampleEveryMs = 1_000
/** Lateness of the event loop from which answers would be too late. Milliseconds. */
const maxLateMs = 2_000

/** Samples the event loop and the disk once a second; deliveries in flight and their bytes are counted exactly. */
export function createPressure({ maxInFlight, maxInFlightBytes, readDiskRoom }: PressureDeps): Pressure {
  let inFlight = 0
  let bytesInFlight = 0
  let sampledAt = performance.now()
  /** Consecutive late samples; a single one may be a stall of the whole machine. */
  let lateSamples = 0
  let isDiskFull = false

  async function sample(): Promise<void> {
    // Measured since the last sample: the histogram of perf_hooks misses a stall right after its reset.
    const passedMs = performance.now() - sampledAt
    sampledAt += passedMs
    lateSamples = passedMs > maxLateMs ? lateSamples + 1 : 0
    isDiskFull = (await readDiskRoom?.())?.state === 'full'
  }
  const timer = setInterval(() => void sample(), sampleEveryMs).unref()
  void sample()

  return {
    enter() {
      if (isDiskFull) throw new DeliveryShed('disk_full')
      if (lateSamples >= 2) throw new DeliveryShed('event_loop_late')
      if (inFlight >= maxInFlight || bytesInFlight >= maxInFlightBytes) throw new DeliveryShed('too_many_in_flight')
      inFlight += 1
      let bytesHere = 0
      const take = (bytes: number) => {
        // A single delivery always has room.
        const isAlone = bytesInFlight === bytesHere
        if (!isAlone && bytesInFlight + bytes > maxInFlightBytes) return false
        bytesInFlight += bytes
        bytesHere += bytes
        return true
      }
      return {
        reserve: (bytes) => take(memoryPerByte * bytes),
        reserveValues(values) {
          if (!take(memoryPerValue * values)) throw new DeliveryShed('too_many_in_flight')
        },
        leave() {
          inFlight -= 1
          bytesInFlight -= bytesHere
        },
      }
    },
    close() {
      clearInterval(timer)
    },
  }
}
