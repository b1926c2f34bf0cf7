import type { HandlerRun } from '../handler-runs.ts'
import type { Observations } from '../observations.ts'
import { coursesOf } from './courses.ts'
import { wayOf } from './like-cases.ts'
import { type StaffTask, tasksIn } from './linked-cases.ts'

/** Finds tasks left open for a cancelled case although the handler ends such tasks itself, or for a PA that ended otherwise although it ends them at other ends. */
export function openForCancelled(seen: Observations): string[] {
  const tasks = tasksIn(seen)
  const lasts = lastRunsIn(seen)
  return tasks.flatMap((task) => {
    const last = lasts.find(({ handler, resource }) => handler === task.handler && resource === task.about)
    if (!task.isOpen || last === undefined || !isOver(last) || isOver(task.run)) return []
    const ended = tasks.find(
      (other) =>
        isAkin(other, task) && other.about !== task.about && !other.isOpen && (isCancelled(last) || isOver(other.run)),
    )
    // A cancelled case without such a task shows that the task is not meant for every end.
    const isSpared = lasts.some(
      (other) =>
        other.handler === task.handler &&
        other.words.join(' ') === last.words.join(' ') &&
        !tasks.some((each) => isAkin(each, task) && each.about === other.resource && each.isOpen),
    )
    if (ended === undefined || !isSpared) return []
    const [about, as] = [task, ended].map((each) => seen.labels.get(each.about))
    return [
      `${about}: ${task.handler} left a task open for a case that ${isCancelled(last) ? 'was cancelled' : `is ${last.status}`}, although it ended the task of ${as}`,
    ]
  })
}

/** Finds waiting cases that lack a task which a comparable case has: the patient's other case had it and ended it. */
export function waitingWithoutTask(seen: Observations): string[] {
  const tasks = tasksIn(seen)
  const courses = coursesOf(seen)
  return tasks.flatMap((task) => {
    const like = courses.find(([run]) => run?.handler === task.handler && run.resource === task.about)
    const way = like && wayOf(like)
    if (!task.isOpen || way === undefined) return []
    const ofPatient = (id: string) =>
      tasks.filter((each) => isAkin(each, task) && seen.patientOf(each.about) === seen.patientOf(id))
    return courses.flatMap((course) => {
      const [{ handler, resource } = task.run] = course
      const others = ofPatient(resource)
      const isLeftOut = others.length > 0 && others.every(({ about, isOpen }) => !isOpen && about !== resource)
      if (handler !== task.handler || resource === task.about || !isLeftOut || wayOf(course) !== way) return []
      return [
        `${seen.labels.get(resource)}: ${handler} left no task open, as it did for ${seen.labels.get(task.about)}, which is in the same state`,
      ]
    })
  })
}

const isAkin = (one: StaffTask, other: StaffTask) => one.kind === other.kind && one.handler === other.handler

const isCancelled = ({ words }: HandlerRun) => words[0] === 'cancelled' || words[3] === 'cancelled'

/** Whether it was cancelled, or the PA ended without an answer. */
const isOver = (run: HandlerRun) => isCancelled(run) || run.words[0] === 'failed' || run.words[0] === 'not_submitted'

/** Each handler's last successful run with each resource. */
function lastRunsIn(seen: Observations): HandlerRun[] {
  return coursesOf(seen).flatMap((course) => course.findLast(({ isDone }) => isDone) ?? [])
}
