import { PawlError } from '../base/errors.ts'
import type { ReadDiskRoom } from '../ledger/upkeep/disk-room.ts'

/** Why a delivery is turned away for now. */
export type Overload = 'too_many_in_flight' | 'event_loop_late' | 'disk_full'

/** A delivery that is answered with 503, for there is no room for it now. */
export class DeliveryShed extends PawlError {
  readonly code: Overload

  constructor(code: Overload) {
    super('There is more to do than can be done now; send the delivery again.')
    this.code = code
  }
}

export interface PressureDeps {
  /** Deliveries that may be in hand at once. */
  maxInFlight: number
  /** Bytes of memory that their bodies may take at once. */
  maxInFlightBytes: number
  /** Of the ledger's disk, where that is one of this machine. */
  readDiskRoom: ReadDiskRoom | undefined
}

/** One delivery in hand. */
export interface InHand {
  /** Counts bytes of its body as they come; false where there is no room for them and what is made of them. */
  reserve(bytes: number): boolean
  /** Counts the fields and elements that its body is about to become. Throws `DeliveryShed`. */
  reserveValues(this: void, values: number): void
  /** Must be called once it is answered. */
  leave(): void
}

/** Says when to turn deliveries away before the process, or its disk, gives out. */
export interface Pressure {
  /** Takes a delivery in hand. Throws `DeliveryShed`. */
  enter(): InHand
  close(): void
}

/** Bytes of memory for each byte of a body: as it comes, in one piece, as text, as the values' own text, on the ledger's thread, sealed. */
export const memoryPerByte = 6
/** Bytes of memory for each field or element: lists and objects without content take 56 to 64, a field whose name is its own about 100. */
const memoryPerValue = 100

const sampleEveryMs = 1_000
/** An event loop that is so late answers nobody in time. Milliseconds. */
const maxLateMs = 2_000

/** Samples the event loop and the disk once a second; deliveries in hand and their bytes are counted exactly. */
export function createPressure({ maxInFlight, maxInFlightBytes, readDiskRoom }: PressureDeps): Pressure {
  let inFlight = 0
  let bytesInFlight = 0
  let sampledAt = performance.now()
  /** Samples in a row that came too late; one may be a pause of the whole machine. */
  let lateSamples = 0
  let isDiskFull = false

  async function sample(): Promise<void> {
    // By the time since the last sample: the histogram of perf_hooks leaves out a hold-up that begins right after its reset.
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
        // One alone always has room.
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
