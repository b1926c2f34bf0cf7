import fc from 'fast-check'
import { patientCoverageStatuses } from 'pawl-client/schemas/benefit-verification'
import { transferErrorCodes } from 'pawl-client/schemas/outcome'
import { people } from './canary-people.ts'
import { advance, emptyModel, type Model, nextStatuses, nextTransferStates, outcomesOf } from './model.ts'
import { type Fault, faults, systemNames } from '@pawl/testing/lines/line-faults'
import { describeStep, type Sent, type Step, unknownPlaces, verifiedCases } from './steps.ts'

/** A command only adds its step to the model. The steps run once the list is complete. */
type Command = fc.Command<Model, object>

/** Limits of a list. */
export interface ListShape {
  maxSteps: number
  maxRestarts: number
  /** Handlers that faults may target. */
  handlers?: readonly string[]
}

/** Most commands need a resource to move. The third case shares the first one's patient. */
const beginning: readonly Step[] = [
  { do: 'create_pa', result: 'Approved', transfer: true },
  { do: 'create_pa', result: 'Denied', transfer: false, patient: 1 },
  { do: 'create_pa', result: 'Approved', transfer: true },
]

/** Runs commands on the model only; returns a constant beginning and their steps. */
export function stepsOf(commands: Iterable<Command>): Step[] {
  const model = emptyModel()
  for (const step of beginning) advance(model, step)
  fc.modelRun(() => ({ model, real: {} }), commands)
  return model.steps
}

/** Commands that become steps where the model allows. */
export function commandsArbitrary({ maxSteps, maxRestarts, handlers = [] }: ListShape) {
  const nth = fc.nat({ max: 5 })
  const sent = fc.option(
    fc.constantFrom<Sent>('twice', 'late', 'dropped', 'with_unknown_type', 'with_unknown_status', 'with_extra_fields'),
    { nil: undefined, freq: 2 },
  )
  const onSome = { pa: nth, pick: fc.nat({ max: 999 }), sent }

  const createPa = fc
    .record({
      result: fc.constantFrom('Approved', 'Approved', 'Denied', 'Not Submitted', 'Other'),
      transfer: fc.boolean(),
      patient: fc.nat({ max: people.length - 1 }),
      index: nth,
    })
    .map(({ index, ...fields }) =>
      command(({ priorAuthorizations: all }) => {
        if (all.length >= 6) return undefined
        const denied = all.flatMap(({ status, isDenied }, at) => (status === 'completed' && isDenied ? [at] : []))
        const appeals = picked(denied, index)
        return { do: 'create_pa', ...fields, ...(appeals !== undefined && { appeals }) }
      }),
    )
  const createBv = fc
    .record({ fails: fc.boolean(), drugs: fc.integer({ min: 1, max: 8 }), patient: fc.nat({ max: people.length - 1 }) })
    .map((fields) =>
      command(({ benefitVerifications: all }) => (all.length < 3 ? { do: 'create_bv', ...fields } : undefined)),
    )
  const movePa = fc.record(onSome).map(({ pa: index, pick, sent }) =>
    command(({ priorAuthorizations }) => {
      const at = placeIn(priorAuthorizations, index)
      const pa = priorAuthorizations[at]
      const to = pa && picked(nextStatuses(pa), pick)
      const outcome = to && picked(outcomesOf(to), Math.floor(pick / 7))
      const shown = outcome && { result: outcome.result, code: outcome.detail_code }
      return to && { do: 'move_pa', pa: at, to, ...shown, ...sentAs(sent) }
    }),
  )
  const moveTransfer = fc.record(onSome).map(({ pa: index, pick, sent }) =>
    command(({ priorAuthorizations }) => {
      const moving = priorAuthorizations.flatMap((pa, at) => (nextTransferStates(pa).length > 0 ? [at] : []))
      const at = picked(moving, index)
      const pa = at === undefined ? undefined : priorAuthorizations[at]
      const to = pa && picked(nextTransferStates(pa), pick)
      const code = to === 'error' ? picked(transferErrorCodes, pick) : undefined
      return to && at !== undefined
        ? { do: 'move_transfer', pa: at, to, ...(code && { code }), ...sentAs(sent) }
        : undefined
    }),
  )
  const moveBv = fc
    .record({
      index: nth,
      to: fc.constantFrom('completed', 'completed', 'failed', 'cancelled'),
      found: fc.constantFrom(...verifiedCases),
      coverage: fc.constantFrom(undefined, undefined, ...patientCoverageStatuses),
      mixed: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
      sent,
    })
    .map(({ index, to, found, coverage, mixed, sent }) =>
      command(({ benefitVerifications }) => {
        const at = placeIn(benefitVerifications, index)
        if (benefitVerifications[at]?.isPending !== true) return undefined
        const result = { case: found, ...(coverage && { coverage }), ...(mixed !== undefined && { mixed }) }
        return { do: 'move_bv', bv: at, to, ...(to === 'completed' && result), ...sentAs(sent) }
      }),
    )
  const message = fc
    .record({
      index: nth,
      count: fc.constantFrom(1, 1, 2, 12),
      attachments: fc.constantFrom(0, 0, 1, 2),
      resolves: fc.boolean(),
      sent,
    })
    .map(({ index, sent, ...fields }) => onPa(index, (pa) => ({ do: 'message', pa, ...fields, ...sentAs(sent) })))
  const happening = fc
    .record({ index: nth, type: fc.constantFrom('sent_fax', 'received_fax', 'follow_up_call', undefined), sent })
    .map(({ index, type, sent }) =>
      onPa(index, (pa) =>
        type === undefined
          ? { do: 'benefits_check', pa, ...sentAs(sent) }
          : { do: 'activity', pa, type, ...sentAs(sent) },
      ),
    )
  const simple = fc
    .record({ index: nth, name: fc.constantFrom('redeliver', 'redeliver_stale', 'forge', 'expire_files') })
    .map(({ index, name }) => onPa(index, (pa) => ({ do: name, pa })))
  const unknown = fc
    .record({ index: nth, where: fc.constantFrom(undefined, ...unknownPlaces) })
    .map(({ index, where }) => onPa(index, (pa) => ({ do: 'answer_unknown_values', pa, ...(where && { where }) })))
  const failure = fc
    .record({
      system: fc.constantFrom(...systemNames),
      fault: fc.constantFrom(...faults.filter((fault) => !fault.startsWith('killed') && !aimedAlone.has(fault))),
      times: fc.integer({ min: 1, max: 3 }),
      handler: fc.constantFrom(undefined, ...handlers),
      writes: fc.boolean(),
      after: fc.nat({ max: 2 }),
    })
    .map(({ handler, writes, after, ...fields }) =>
      command(() => ({
        do: 'fail',
        ...fields,
        ...(handler !== undefined && { handler, ...(writes && { writes }), ...(after > 0 && { after }) }),
      })),
    )
  const interruption = fc.record({ handler: fc.constantFrom(undefined, ...handlers) }).map(({ handler }) =>
    command(() => ({
      do: 'fail',
      system: 'chart',
      fault: 'edited',
      times: 1,
      ...(handler !== undefined && { handler }),
    })),
  )
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
  const cases = [createPa, createPa, createBv, moveBv, happening]
  const seldom = [...cases, simple, simple, unknown, failure, failure, interruption, staffEdit, careless, clock]
  const weighed = [...often, ...seldom, ...(maxRestarts > 0 ? [restart, restart] : [])]
  return fc.commands(weighed, { maxCommands: maxSteps, size: 'max' })
}

/** Faults that the generator never draws for these systems. */
const aimedAlone: ReadonlySet<Fault> = new Set(['slow', 'edited'])

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
