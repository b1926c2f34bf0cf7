import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../support/until.ts'

/** Work that tests watch: what was begun, in order, and how much was in hand at once. */
export interface Hall {
  work(this: void, resourceId: string): Promise<void>
  begun: string[]
  /** Ids in hand now. */
  inHand: Set<string>
  /** How many were in hand at once, at the most. */
  max: number
  /** Ids that were in hand twice at once. */
  overlapped: string[]
  /** Work that begins from now on waits until opened. */
  shut(): void
  open(): void
  /** Resolves once the id was begun so many times. */
  hasBegun(id: string, times?: number): Promise<unknown>
  isEmpty(): Promise<unknown>
}

export function createHall(workMs = 0): Hall {
  let gate = Promise.resolve()
  let openGate = () => {}
  const hall: Hall = {
    begun: [],
    inHand: new Set(),
    max: 0,
    overlapped: [],
    async work(id) {
      hall.begun.push(id)
      if (hall.inHand.has(id)) hall.overlapped.push(id)
      hall.inHand.add(id)
      hall.max = Math.max(hall.max, hall.inHand.size)
      await gate
      await sleep(workMs)
      hall.inHand.delete(id)
    },
    shut: () => void (gate = new Promise((resolve) => (openGate = resolve))),
    open: () => openGate(),
    hasBegun: (id, times = 1) =>
      until(`${id} begun ${times} times`, () => hall.begun.filter((each) => each === id).length >= times),
    isEmpty: () => until('nothing is in hand', () => hall.inHand.size === 0),
  }
  return hall
}
