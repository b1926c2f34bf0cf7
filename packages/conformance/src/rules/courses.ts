import type { HandlerRun } from '../handler-runs.ts'
import type { Observations } from '../observations.ts'

/** The runs of one handler with one resource. */
export type Course = readonly HandlerRun[]

/** In order, without resources that showed unknown values. */
export function coursesOf({
  runs,
  labels,
  unknownIds,
}: Pick<Observations, 'runs' | 'labels' | 'unknownIds'>): Course[] {
  const courses = new Map<string, HandlerRun[]>()
  for (const run of runs) {
    const { handler, resource } = run
    if (!labels.has(resource) || unknownIds.has(resource)) continue
    const key = `${handler} ${resource}`
    courses.set(key, [...(courses.get(key) ?? []), run])
  }
  return [...courses.values()].map((each) => each.toSorted((one, other) => one.beganAt - other.beganAt))
}

/** When the handler last began a run for the resource with another snapshot; before that, the same words were about an earlier state. */
export function changedAt(run: HandlerRun, { runs }: Pick<Observations, 'runs'>): number {
  const last = runs.findLast(
    ({ handler, resource, beganAt, snapshot }) =>
      handler === run.handler && resource === run.resource && beganAt < run.beganAt && snapshot !== run.snapshot,
  )
  return last?.beganAt ?? -Infinity
}

/** Like `coursesOf`, but including resources that showed unknown values. */
export function allCoursesOf(seen: Pick<Observations, 'runs' | 'labels'>): Course[] {
  return coursesOf({ ...seen, unknownIds: new Set() })
}
