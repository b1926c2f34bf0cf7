import type { z } from 'zod'
import { inSteps } from '@pawl/ledger/views/in-steps'
import type { contract } from './contract.ts'

type Step = z.infer<typeof contract.findPatient.answer>
type ErasedPart = z.infer<typeof contract.erasePatient.answer>

/** One part of an erasure: a resource, or a few events without one. */
export type ErasurePart = { resource_id: string } | { events: number[] }

/** The short steps of an erasure, in this process or over the API. Each may throw, and can be repeated. */
export interface ErasureSteps {
  find(cursor: string | undefined): Promise<Step>
  erase(part: ErasurePart): Promise<ErasedPart>
  wipe(): Promise<boolean>
}

/** A patient's data in the ledger. */
export type FoundData = Pick<Step, 'resources' | 'events' | 'erasedAgoMs'>

/** Data that an erasure removed, and data that stays elsewhere. */
export interface ErasureOutcome {
  /** Number of each kind. */
  removed: Record<string, number>
  /** Pieces of pending work that were dropped. */
  dropped: number
  /** Records that pawl wrote, such as `Task/17`, by system. */
  written: Record<string, string[]>
  /** Whether the files of the ledger keep no deleted bytes. */
  isWiped: boolean
}

/** Events without a resource that are erased at once. */
const eventsAtOnce = 1_000

/** Searches the whole ledger. */
export async function findPatientData(
  { find }: Pick<ErasureSteps, 'find'>,
  onProgress: (progress: { done: number; total: number }) => void,
): Promise<FoundData> {
  const found: FoundData = { resources: [], events: [] }
  let done = 0
  for await (const step of inSteps(find)) {
    found.resources.push(...step.resources)
    found.events.push(...step.events)
    if (step.erasedAgoMs !== undefined) found.erasedAgoMs = step.erasedAgoMs
    done += step.looked
    onProgress({ done: Math.min(done, step.total), total: step.total })
  }
  return found
}

/** Erases the data found. If stopped half-way, it can be repeated. */
export async function eraseFound({ erase, wipe }: ErasureSteps, found: FoundData): Promise<ErasureOutcome> {
  const removed: Record<string, number> = {}
  const written: Record<string, string[]> = {}
  let dropped = 0
  const parts: ErasurePart[] = [
    ...found.resources.map(({ id }) => ({ resource_id: id })),
    ...inParts(found.events, eventsAtOnce).map((events) => ({ events })),
  ]
  for (const part of parts) {
    const answer = await erase(part)
    const erased = 'removed' in answer ? answer : { removed: answer, dropped: 0, written: [] }
    for (const [what, count] of Object.entries(erased.removed)) removed[what] = (removed[what] ?? 0) + count
    for (const { system, type, id } of erased.written) (written[system] ??= []).push(`${type}/${id}`)
    dropped += erased.dropped
  }
  return { removed, dropped, written, isWiped: await wipe() }
}

function inParts<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))
}

/** Says that nothing was found, and whether it was erased before; `say`: writes a duration. */
export function sayNothingFound({ erasedAgoMs }: FoundData, say: (ms: number) => string): string {
  if (erasedAgoMs === undefined) return 'The ledger holds nothing of this patient.'
  if (erasedAgoMs === null)
    return 'The ledger holds nothing of this patient, and nothing was erased under this number: check it.'
  return `The ledger holds nothing more of this patient, who was erased ${say(erasedAgoMs)} ago.`
}

/** Data that pawl cannot delete. */
export const staysElsewhere = {
  service: 'have it delete what it holds itself',
  backups: 'of the ledger: delete them, or erase again after a restore',
} as const
export const keepsBytes = 'the database may keep deleted bytes until it reuses them (PostgreSQL: vacuum, and its log)'
export const staysInLedger =
  'Stays in the ledger: ids and fingerprints of events, what was written where, and the audit trail. Logs hold ids and codes, nothing of a patient.'
