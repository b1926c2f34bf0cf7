import fc from 'fast-check'
import { advance, emptyModel, type Model, nextStatuses, nextTransferStates } from './model.ts'
import { describeStep, type Sent, type Step, systemNames } from './steps.ts'

/** A command only adds its step to the model; the steps run once the list is complete. */
type Command = fc.Command<Model, object>

/** Limits of a list. */
export interface ListShape {
  maxSteps: number
  maxRestarts: number
}

/** Most commands need a resource to move. */
const beginning: readonly Step[] = [
  { do: 'create_pa', result: 'Approved', transfer: true },
  { do: 'create_pa', result: 'Denied', transfer: false },
]

/** Runs commands on the model only; returns their steps after a constant beginning. */
export function stepsOf(commands: Iterable<Command>): Step[] {
  const model = emptyModel()
  for (const step of beginning) advance(model, step)
  fc.modelRun(() => ({ model, real: {} }), commands)
  return model.steps
}

/** Commands that become steps where the model allows. */
export function commandsArbitrary({ maxSteps, maxRestarts }: ListShape) {
  const nth = fc.nat({ max: 5 })
  const sent = fc.option(
    fc.constantFrom<Sent>('twice', 'late', 'dropped', 'with_unknown_type', 'with_unknown_status', 'with_extra_fields'),
    { nil: undefined, freq: 2 },
  )
  const onSome = { pa: nth, pick: fc.nat({ max: 9 }), sent }

  const createPa = fc
    .record({ result: fc.constantFrom('Approved', 'Approved', 'Denied', 'Not Submitted'), transfer: fc.boolean() })
    .map((fields) =>
      command(({ priorAuthorizations: all }) => (all.length < 4 ? { do: 'create_pa', ...fields } : undefined)),
    )
  const createBv = fc
    .boolean()
    .map((fails) =>
      command(({ benefitVerifications: all }) => (all.length < 2 ? { do: 'create_bv', fails } : undefined)),
    )
  const movePa = fc.record(onSome).map(({ pa: index, pick, sent }) =>
    command(({ priorAuthorizations }) => {
      const at = placeIn(priorAuthorizations, index)
      const pa = priorAuthorizations[at]
      const to = pa && picked(nextStatuses(pa), pick)
      return to && { do: 'move_pa', pa: at, to, ...sentAs(sent) }
    }),
  )
  const moveTransfer = fc.record(onSome).map(({ pa: index, pick, sent }) =>
    command(({ priorAuthorizations }) => {
      const moving = priorAuthorizations.flatMap((pa, at) => (nextTransferStates(pa).length > 0 ? [at] : []))
      const at = picked(moving, index)
      const pa = at === undefined ? undefined : priorAuthorizations[at]
      const to = pa && picked(nextTransferStates(pa), pick)
      return to && at !== undefined ? { do: 'move_transfer', pa: at, to, ...sentAs(sent) } : undefined
    }),
  )
  const moveBv = fc
    .record({ index: nth, to: fc.constantFrom('completed', 'failed', 'cancelled'), sent })
    .map(({ index, to, sent }) =>
      command(({ benefitVerifications }) => {
        const at = placeIn(benefitVerifications, index)
        return benefitVerifications[at]?.isPending === true ? { do: 'move_bv', bv: at, to, ...sentAs(sent) } : undefined
      }),
    )
  const message = fc
    .record({ index: nth, sent })
    .map(({ index, sent }) => onPa(index, (pa) => ({ do: 'message', pa, ...sentAs(sent) })))
  const simple = fc
    .record({ index: nth, name: fc.constantFrom('redeliver', 'redeliver_stale', 'forge', 'answer_unknown_values') })
    .map(({ index, name }) => onPa(index, (pa) => ({ do: name, pa })))
  const failure = fc
    .record({
      system: fc.constantFrom(...systemNames),
      fault: fc.constantFrom('429', '500', '503', 'timeout', 'half_answer', 'lost_answer'),
      times: fc.integer({ min: 1, max: 3 }),
    })
    .map((fields) => command(() => ({ do: 'fail', ...fields })))
  const staffEdit = fc
    .record({
      index: nth,
      task: fc.constantFrom('prior_authorization', 'staff'),
      when: fc.constantFrom('now', 'before_next_write'),
    })
    .map(({ index, ...fields }) => onPa(index, (pa) => ({ do: 'staff_edit', pa, ...fields })))
  const careless = fc.constant(command(() => ({ do: 'answer_search_carelessly' })))
  const clock = fc.constantFrom(-120, -30, 20, 120).map((minutes) => command(() => ({ do: 'set_clock', minutes })))
  const restart = fc
    .constantFrom('restart', 'kill')
    .map((name) => command(({ restarts }) => (restarts < maxRestarts ? { do: name } : undefined)))
  const settle = fc.constant(command(() => ({ do: 'settle' })))

  const often = [movePa, movePa, movePa, movePa, settle, settle, settle, moveTransfer, moveTransfer, message, message]
  const seldom = [createPa, createPa, createBv, moveBv, simple, simple, failure, failure, staffEdit, careless, clock]
  const weighed = [...often, ...seldom, ...(maxRestarts > 0 ? [restart, restart] : [])]
  return fc.commands(weighed, { maxCommands: maxSteps, size: 'max' })
}

/** A command for the step that `choose` returns, if any. */
function command(choose: (model: Readonly<Model>) => Step | undefined): Command {
  let shown = 'nothing'
  return {
    check: (model) => choose(model) !== undefined,
    run(model) {
      const step = choose(model)
      if (step === undefined) return
      shown = describeStep(step)
      advance(model, step)
    },
    toString: () => shown,
  }
}

function onPa(index: number, step: (pa: number) => Step): Command {
  return command(({ priorAuthorizations: all }) => (all.length === 0 ? undefined : step(placeIn(all, index))))
}

const sentAs = (sent: Sent | undefined) => (sent === undefined ? {} : { sent })
const placeIn = (list: readonly unknown[], index: number) => (list.length === 0 ? 0 : index % list.length)
const picked = <T>(list: readonly T[], pick: number): T | undefined => list[pick % Math.max(1, list.length)]
