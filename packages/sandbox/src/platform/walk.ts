import type { SandboxClock } from './sandbox-clock.ts'
import type { Observe } from './observe.ts'
import type { Random } from './random.ts'
import type { Schedule } from './schedule.ts'
import type { Machine, Row } from './machine.ts'

/** Walks resources through one machine's table. */
export interface Walk<Subject, State extends string> {
  /** Starts in the state of the resource's progress: runs its effects, then schedules the next transition. */
  start(subject: Subject): void
  /** Moves immediately. The caller has checked that the move is legal. */
  move(subject: Subject, to: State): void
  /** Legal next states, ignoring conditions that are not rules of the interface. */
  legal(subject: Subject): State[]
  /** Schedules the next transition if none is scheduled; call it when `isSuspended` turns false. */
  resume(subject: Subject): void
  /** Runs the scheduled transition of the resource and returns the entered state; called by the schedule. */
  runDue: (id: string) => State | undefined
}

/** Creates the walk of one machine. Delays depend only on the seed, the resource and the number of moves, never on timing. */
export function createWalk<Subject extends { id: string }, State extends string, Condition extends string>(deps: {
  machine: Machine<Subject, State, Condition>
  find: (id: string) => Subject | undefined
  save: (subject: Subject) => void
  schedule: Schedule
  clock: SandboxClock
  random: Random
  observe: Observe
}): Walk<Subject, State> {
  const { machine, find, save, schedule, clock, random, observe } = deps
  const keyOf = (subject: Subject) => `${machine.name}/${subject.id}`

  function enter(subject: Subject, state: State): void {
    const progress = machine.progressOf(subject)
    if (progress === undefined) return
    const from = progress.visited.at(-1)
    progress.state = state
    progress.visited.push(state)
    ;(progress.enteredAt ??= []).push(clock.now())
    delete progress.due
    schedule.clear(keyOf(subject))
    observe({
      kind: 'transition',
      machine: machine.name,
      id: subject.id,
      from,
      to: state,
      detail: machine.detailOf?.(subject, state),
    })
    machine.entered(subject, state)
    scheduleNext(subject)
    save(subject)
  }

  function scheduleNext(subject: Subject): void {
    const progress = machine.progressOf(subject)
    if (machine.isSuspended?.(subject) === true) return
    const row = machine.rows.find(
      ({ from, after, when }) =>
        from === progress?.state && after !== undefined && (when === undefined || machine.conditions[when](subject)),
    )
    if (progress === undefined || row?.after === undefined) return
    const draw = random.fork(`${keyOf(subject)}/${progress.visited.length}`)
    progress.due = { at: Math.round(clock.now() + draw.between(...row.after)), to: row.to }
    schedule.set(keyOf(subject), progress.due.at)
  }

  return {
    start: (subject) => {
      const progress = machine.progressOf(subject)
      if (progress !== undefined) enter(subject, progress.state)
    },
    move: enter,
    legal: (subject) => {
      const state = machine.progressOf(subject)?.state
      const isForbidden = ({ when, isRule }: Row<State, Condition>) =>
        isRule === true && when !== undefined && !machine.conditions[when](subject)
      return [...new Set(machine.rows.filter((row) => row.from === state && !isForbidden(row)).map(({ to }) => to))]
    },
    resume: (subject) => {
      if (machine.progressOf(subject)?.due === undefined) scheduleNext(subject)
      save(subject)
    },
    runDue: (id) => {
      const subject = find(id)
      const due = subject && machine.progressOf(subject)?.due
      if (subject === undefined || due === undefined) return undefined
      enter(subject, due.to)
      return due.to
    },
  }
}
