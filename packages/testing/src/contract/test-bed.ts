import { AssertionError } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDigest } from '@pawl/connector/digest'
import { createLog } from '@pawl/base/log'
import type { Receipt, RunContext, System } from '@pawl/connector/system'
import type { ContractSubject, Stand } from './contract-subject.ts'
import type { Remembered } from '@pawl/base/system-notes'

/** The resource that most rules write. */
export const oneResource = 'pa_req_contract1'

export type Which = 'first' | 'second' | 'gone'

export interface WriteOptions<Port extends object> {
  resourceId?: string
  /** Default: one instance for all writes. */
  system?: System<Port>
  run?: Partial<RunContext>
  /** The process ends before the run is recorded: its `memory.note` entries are lost, its memory writes are not. */
  losesNotes?: boolean
}

/** A connector and its far side in a pretend process: runs, memory, log and receipts. */
export interface TestBed<Port extends object> {
  stand: Stand<Port>
  /** Connectors' memory, by resource and role. */
  memory: ReadonlyMap<string, Remembered>
  receipts: readonly Receipt[]
  /** Kinds of requests begun, and how many of them were answered. */
  told: { readonly begun: readonly string[]; readonly answered: number }
  /** The log so far, as production prints it. */
  logged(): string
  /** Creates another instance, as after a restart. */
  restart(): System<Port>
  /** Closes an instance now instead of at the end. Rejects if closing never ends. */
  close(system: System<Port>): Promise<void>
  /** Writes the first or the second state, or the one without a record. Rejects with the connector's error, or if the write never ends. */
  write(which: Which, options?: WriteOptions<Port>): Promise<void>
  /** Like `write`, but resolves with the connector's error. */
  tryToWrite(which: Which, options?: WriteOptions<Port>): Promise<unknown>
  held(resourceId?: string): Promise<readonly unknown[]>
}

/** Gives `use` a test bed and always closes it afterwards. */
export async function withTestBed<Port extends object, State, T>(
  subject: ContractSubject<Port, State>,
  use: (bed: TestBed<Port>) => Promise<T>,
): Promise<T> {
  const stand = await subject.start()
  const instances = new Set<System<Port>>()
  const memory = new Map<string, Remembered>()
  const receipts: Receipt[] = []
  const told = { begun: [] as string[], answered: 0 }
  let printed = ''
  const log = createLog({ level: 'debug', destination: { write: (line: string) => void (printed += line) } })

  function restart(): System<Port> {
    const system = stand.connect()
    instances.add(system)
    return system
  }
  let first: System<Port> | undefined

  function runOn(resourceId: string, different: Partial<RunContext>, losesNotes: boolean): RunContext {
    const { assertMayAct = () => {} } = different
    return {
      resourceId,
      kind: subject.kind ?? 'prior_authorization',
      log,
      signal: new AbortController().signal,
      memory: {
        read: (role) => Promise.resolve(memory.get(`${resourceId} ${role}`)),
        // As in the ledger: only a run with the claim may write.
        async write(role, remembered) {
          assertMayAct()
          memory.set(`${resourceId} ${role}`, { ...remembered })
        },
        async forget(role) {
          assertMayAct()
          memory.delete(`${resourceId} ${role}`)
        },
        // One write runs at a time.
        share: () => Promise.resolve(),
        note(role, remembered) {
          if (!losesNotes) memory.set(`${resourceId} ${role}`, { ...remembered })
        },
      },
      digest: createDigest(Buffer.alloc(32)),
      assertMayAct,
      remainingMs: () => 3_600_000,
      beginRequest(kind) {
        told.begun.push(kind)
        return { answered: () => void (told.answered += 1) }
      },
      wrote: (receipt) => void receipts.push(receipt),
      leftOut() {},
      ...different,
    }
  }

  const write: TestBed<Port>['write'] = async (which, options = {}) => {
    const { resourceId = oneResource, system, run = {}, losesNotes = false } = options
    const states = subject.states(resourceId)
    const state = which === 'gone' ? subject.gone?.(resourceId) : states[which === 'first' ? 0 : 1]
    if (state === undefined) throw new TypeError('The subject names no state without a record.')
    const instance = system ?? (first ??= restart())
    await ended('a write', subject.write(instance.open(runOn(resourceId, run, losesNotes)), state))
  }

  try {
    return await use({
      stand,
      memory,
      receipts,
      told,
      logged: () => printed,
      restart,
      async close(system) {
        instances.delete(system)
        await ended('close()', system.close?.())
      },
      write,
      tryToWrite: (which, options) =>
        write(which, options).then(
          () => undefined,
          (error: unknown) => {
            if (error instanceof AssertionError) throw error
            return error
          },
        ),
      held: async (resourceId = oneResource) => structuredClone(await stand.held(resourceId)),
    })
  } finally {
    // Closed together: a hanging connector ends only with its far side. Another rule covers close().
    await stand.fail()
    await Promise.allSettled([stand.close(), ...[...instances].map((system) => ended('close()', system.close?.()))])
  }
}

/** Runs `use` twice, because create and update differ: with a resource new to the far side, and with one already in its second state. */
export async function onNewAndOnKnown<Port extends object, State>(
  subject: ContractSubject<Port, State>,
  use: (bed: TestBed<Port>, when: string) => Promise<void>,
): Promise<void> {
  await withTestBed(subject, (bed) => use(bed, 'the first write of a resource'))
  await withTestBed(subject, async (bed) => {
    await bed.write('second')
    await use(bed, 'a later write of a resource')
  })
}

/** Far longer than any step of a test, and shorter than connectors' own default timeouts. */
const patienceMs = 10_000

/** Waits for `work`; rejects with an `AssertionError` if it never ends. */
export async function ended<T>(what: string, work: Promise<T> | undefined): Promise<T | undefined> {
  const giveUp = new AbortController()
  const tooLong = sleep(patienceMs, undefined, { signal: giveUp.signal }).then(() => {
    throw new AssertionError({ message: `${what} did not end within ${patienceMs / 1000} seconds` })
  })
  try {
    return await Promise.race([work, tooLong])
  } finally {
    giveUp.abort()
    await tooLong.catch(() => {})
  }
}

/** Polls until `isSo` returns true; rejects with an `AssertionError` if it never does. */
export async function eventually(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + patienceMs; !(await isSo()); await sleep(10))
    if (Date.now() > deadline) throw new AssertionError({ message: `never became true: ${what}` })
}
