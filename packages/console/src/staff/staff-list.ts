import type { ResourceKind } from 'pawl-client/schemas/kinds'
import { actionsFor } from 'pawl-client/schemas/waits-for-people'
import type { LeftOutFile, LeftOutViews } from '@pawl/ledger/hot/left-out'
import { inSteps } from '@pawl/ledger/views/in-steps'
import type { PeopleViews, WaitingCursor, WaitingForPeople } from '@pawl/ledger/views/waiting-for-people'
import { filesKind, isTakenBy, type Team } from './team.ts'

/** One thing that waits for staff. */
export interface StaffEntry {
  id: string
  kind: ResourceKind
  /** Milliseconds since 1970. */
  since: number
  /** What is due, in words for staff. */
  due: string
}

/** What the list is read from. */
export type StaffViews = Pick<PeopleViews, 'waitingForPeople'> & Pick<LeftOutViews, 'leftOutFiles'>

/** How long a file that a chart could not hold is listed, in milliseconds. */
const filesListedMs = 30 * 86_400_000

/** Resources read at once. */
const stepSize = 500

/** What is due for a resource that waits. */
export function dueOfWait({ kind, reason }: Pick<WaitingForPeople, 'kind' | 'reason'>): string {
  const actions = actionsFor(kind, reason).map(({ words }) => words)
  return [inWords(reason), actions.join(', or ')].filter((each) => each !== '').join(': ')
}

/** What is due for a file that a chart could not hold. */
export function dueOfFile(file: Pick<LeftOutFile, 'file'>): string {
  return `${inWords(kindOfFile(file))} that the chart could not hold: open it at the service, then mark it as done`
}

/** The kind of a file, such as `fax_received`. */
export function kindOfFile({ file }: Pick<LeftOutFile, 'file'>): string {
  return file.split('/', 1)[0] ?? ''
}

function inWords(code: string): string {
  const words = code.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The newest files of a team that a chart could not hold and no person saw to. */
export async function readStaffFiles(
  ledger: StaffViews,
  team: Team | undefined,
  { limit, now }: { limit: number; now: number },
): Promise<LeftOutFile[]> {
  const files = await ledger.leftOutFiles(now - filesListedMs, limit)
  return files.filter((each) => isTakenBy(team, filesKind, kindOfFile(each)))
}

/** All that waits for a team, the longest waiting first; `isAll`: it fits the limit. */
export async function readStaffEntries(
  ledger: StaffViews,
  team: Team,
  { limit, now }: { limit: number; now: number },
): Promise<{ entries: StaffEntry[]; isAll: boolean }> {
  const waits: WaitingForPeople[] = []
  const steps = inSteps(async (after?: WaitingCursor) => {
    const { rows, next } = await ledger.waitingForPeople(stepSize, after)
    return { rows, cursor: next }
  })
  for await (const { rows } of steps) {
    waits.push(...rows.filter((each) => isWaitOf(team, each)))
    if (waits.length > limit) break
  }
  const files = await readStaffFiles(ledger, team, { limit, now })
  const found: StaffEntry[] = [
    ...waits.map(({ id, kind, since, reason }) => ({ id, kind, since, due: dueOfWait({ kind, reason }) })),
    ...files.map(({ id, kind, since, file }) => ({ id, kind, since, due: dueOfFile({ file }) })),
  ].toSorted((one, other) => one.since - other.since)
  return { entries: found.slice(0, limit), isAll: found.length <= limit }
}

/** Whether a team takes a resource that waits. */
export function isWaitOf(team: Team | undefined, { kind, reason }: Pick<WaitingForPeople, 'kind' | 'reason'>): boolean {
  return isTakenBy(team, kind, reason)
}
