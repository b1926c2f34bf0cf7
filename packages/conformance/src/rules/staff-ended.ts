import type { HandlerRun } from '../handler-runs.ts'
import type { Observations } from '../observations.ts'
import { type ChartWrite, chartWritesOf, subjectOf } from './writes.ts'

/** A write to a task, and the run that sent it. */
interface Written {
  write: ChartWrite
  run: HandlerRun
}

/** Finds tasks completed by staff that a handler reopened without cause, or left completed when a new reason needed one, although it reopened another case's task. */
export function againstStaff(seen: Observations): string[] {
  const ends = seen.edits.filter(({ isEnd }) => isEnd === true)
  if (ends.length === 0) return []
  const all = tasksIn(seen)
  return ends.flatMap(({ reference, at }) => {
    const own = all.get(reference) ?? []
    const before = own.findLast(({ write }) => timeOf(write) <= at)
    if (before === undefined) return []
    const { handler, resource } = before.run
    const runs = seen.runs.filter((run) => run.handler === handler && run.resource === resource && run.isDone)
    const state = runs.findLast(({ beganAt }) => beganAt < at)?.words.join(' ')
    const again = own.find(({ write, run }) => run.handler === handler && timeOf(write) > at && isOpen(write))
    const about = `${seen.labels.get(resource)}: ${handler}`
    if (again !== undefined)
      return reasonOf(again.write) === reasonOf(before.write) && again.run.words.join(' ') === state
        ? [`${about} reopened a task without cause after staff had completed it`]
        : []
    const needed = [...all].find(
      ([other, tasks]) =>
        !seen.edits.some((edit) => edit.reference === other) &&
        tasks.some(({ write, run }, place) => {
          const isLike = run.handler === handler && nameOf(write) === nameOf(before.write)
          const isAnew = isOpen(write) && place > 0 && !isOpen(tasks[place - 1]?.write ?? write)
          const isOther = titleOf(write) !== titleOf(before.write) && run.words.join(' ') !== state
          return isLike && isAnew && isOther && runs.some((each) => each.beganAt > at && isSameState(each, run))
        }),
    )
    const [task] = needed?.[1] ?? []
    return task === undefined
      ? []
      : [
          `${about} did not reopen a completed task for a new reason, as it did for ${seen.labels.get(task.run.resource)}`,
        ]
  })
}

/** The writes to each task, in order. */
function tasksIn(seen: Observations): Map<string, Written[]> {
  const tasks = new Map<string, Written[]>()
  for (const write of chartWritesOf(seen.calls)) {
    const run = seen.runOf(write.call)
    if (run === undefined || !write.isDone || write.stored?.startsWith('Task/') !== true) continue
    tasks.set(write.stored, [...(tasks.get(write.stored) ?? []), { write, run }])
  }
  return tasks
}

const timeOf = ({ call }: ChartWrite) => call.done?.at ?? Infinity

const isSameState = (one: HandlerRun, other: HandlerRun) => one.words.join(' ') === other.words.join(' ')

function isOpen({ held }: ChartWrite): boolean {
  const { status = '' } = { ...held } as { status?: string }
  return !ended.has(status)
}

const ended: ReadonlySet<string> = new Set(['completed', 'cancelled', 'rejected', 'failed', 'entered-in-error'])

const reasonOf = ({ held }: ChartWrite) => held?.businessStatus?.text

/** Its identifier, without the case's id. */
function nameOf({ held }: ChartWrite): string {
  const about = subjectOf(held) ?? ''
  return (held?.identifier ?? []).map(({ system, value }) => `${system}|${value?.replace(about, '')}`).join(' ')
}

/** The description may name the drug, too. */
function titleOf({ held }: ChartWrite): string {
  const { description, code } = { ...held } as { description?: unknown; code?: unknown }
  return JSON.stringify(code ?? description)
}
