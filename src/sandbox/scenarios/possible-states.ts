import { z } from 'zod'
import { isFillable } from '../../service/schemas/outcome.ts'
import { createBody } from './create-body.ts'
import { endsOf, type Rows, rowsOf } from './legal-values.ts'
import type { CreatedKind, pushedParts, Step, StepOf } from './schema.ts'

type Part = (typeof pushedParts)[number]
type States = ReadonlySet<string>

/** Possible states of a resource at one point of a scenario. */
interface Tracked {
  kind: CreatedKind
  own: States
  /** Possible states of its parts, present or future; empty for one that has not begun. */
  parts: Map<Part, States>
}

/** Tracks the possible states of a scenario's resources from step to step. */
export interface PossibleStates {
  /** Applies a step; returns faults that hold regardless of elapsed time and other calls. Skips unknown names and statuses. */
  take(step: Step): string[]
}

/** Ignores the conditions of the tables, which depend on chance, organizations and bodies. */
export function createPossibleStates(): PossibleStates {
  const all = new Map<string, Tracked>()

  function push(step: StepOf<'push'>, resource: Tracked): string[] {
    const { of, status } = step
    if (of === undefined) return pushOwn(step, resource)
    const states = resource.parts.get(of)
    if (states === undefined) return [`of: ${step.resource} has no ${of.replaceAll('_', ' ')}: ${reasons[of]}`]
    const found = orderFaults(rowsOf[of], states, status, of === 'transfer' ? notBegun : undefined)
    resource.parts.set(of, new Set([status]))
    if (of.startsWith('outreach') && endsOf(rowsOf[of]).includes(status)) endAttempt(status, resource)
    return found
  }

  function letTimePass(of: (rows: Rows) => Rows, about?: { resource: string; status: string }): void {
    for (const [name, tracked] of all) {
      const { kind, parts } = tracked
      const own = closure(tracked.own, of(rowsOf[kind]))
      tracked.own = name === about?.resource ? new Set([about.status]) : own
      if (tracked.own.has('completed')) beginTransfer(tracked)
      for (const [part, states] of parts) parts.set(part, closure(states, of(rowsOf[part])))
    }
  }

  function wait({ resource: name, status, seconds }: StepOf<'wait'>): string[] {
    const resource = name === undefined ? undefined : all.get(name)
    if (name === undefined || status === undefined || resource === undefined) {
      // During real seconds, people and applications may make any legal move.
      letTimePass(seconds === undefined ? byItself : (rows) => rows)
      return []
    }
    const rows = rowsOf[resource.kind]
    const before = listed(resource.own)
    const reachable = closure(resource.own, byItself(rows))
    // Any other word is a result of an evaluation.
    const state = rows.some(({ from, to }) => status === from || status === to) ? status : 'evaluated'
    letTimePass(byItself, { resource: name, status: state })
    if (reachable.has(state)) return []
    return [`status: ${before} does not become ${status} by itself; it can be or become: ${inOrder(rows, reachable)}`]
  }

  return {
    take: (step) => {
      if (step.step === 'create') {
        if (step.refused_with === undefined) all.set(step.as, created(step))
        return []
      }
      if (step.step === 'wait') return wait(step)
      const resource = step.step === 'push' ? all.get(step.resource) : undefined
      return step.step === 'push' && resource !== undefined ? push(step, resource) : []
    },
  }
}

const reasons: Record<Part, string> = {
  transfer: 'its body has no ndp_submission',
  benefits_check: 'its body has no ndp_submission',
  outreach_fax: 'its body does not enable provider_outreach',
  outreach_email: 'its body does not enable provider_outreach, or its provider has no email',
  outreach_phone: 'its body does not enable provider_outreach, or its provider has an email, which is used instead',
}
const notBegun = 'it begins once the PA is approved, or needs no PA'

const Parted = z.object({
  ndp_submission: z.unknown().optional(),
  provider_outreach: z.object({ enabled: z.literal(true) }).optional(),
  provider: z.object({ email: z.unknown().optional() }).optional(),
})

function created({ kind, body }: StepOf<'create'>): Tracked {
  const start = (rows: Rows) => new Set(rows.slice(0, 1).map(({ from }) => from))
  const parts = new Map<Part, States>()
  const given = kind === 'prior_authorization' ? Parted.safeParse(createBody(kind, body, new Map())).data : undefined
  if (given?.ndp_submission !== undefined) {
    parts.set('transfer', new Set())
    parts.set('benefits_check', start(rowsOf.benefits_check))
  }
  if (given?.provider_outreach !== undefined) {
    const other = given.provider?.email === undefined ? 'outreach_phone' : 'outreach_email'
    for (const part of ['outreach_fax', other] as const) parts.set(part, start(rowsOf[part]))
  }
  return { kind, own: start(rowsOf[kind]), parts }
}

/** Pushes the resource itself, which starts and ends its parts. */
function pushOwn({ status, outcome }: StepOf<'push'>, resource: Tracked): string[] {
  const { kind, own, parts } = resource
  const rows = rowsOf[kind]
  const isOutcomeAlone = status === 'validating_outcome' && outcome !== undefined && own.has(status)
  const found = isOutcomeAlone ? [] : orderFaults(rows, own, status)
  resource.own = new Set([status])
  if (kind !== 'prior_authorization') return found
  // Without an outcome, the body or chance decides.
  if (status === 'completed' && (outcome === undefined || isFillable(outcome))) beginTransfer(resource)
  if (status === 'cancelled') stop(parts, 'benefits_check', 'stopped')
  if (endsOf(rows).includes(status)) stopOutreach(resource)
  return found
}

function beginTransfer({ parts }: Tracked): void {
  const states = parts.get('transfer')
  if (states?.size === 0) parts.set('transfer', new Set(rowsOf.transfer.slice(0, 1).map(({ from }) => from)))
}

/** An answer cancels the running attempts; once none runs, a PA that waited for them continues. */
function endAttempt(status: string, resource: Tracked): void {
  if (status === 'responded') stopOutreach(resource)
  if (resource.own.has('awaiting_provider_response'))
    resource.own = new Set([...resource.own, 'processing', 'awaiting_outcome'])
}

function stopOutreach({ parts }: Tracked): void {
  for (const part of ['outreach_fax', 'outreach_email', 'outreach_phone'] as const) stop(parts, part, 'cancelled')
}

/** Ends a running part. */
function stop(parts: Tracked['parts'], part: Part, to: string): void {
  const isRunning = (state: string) => rowsOf[part].some((row) => row.from === state && row.to === to)
  const states = parts.get(part)
  if (states !== undefined) parts.set(part, new Set([...states].map((state) => (isRunning(state) ? to : state))))
}

/** Faults of a push that no possible state allows. */
function orderFaults(rows: Rows, states: States, status: string, missing?: string): string[] {
  const legal = new Set(rows.filter(({ from }) => states.has(from)).map(({ to }) => to))
  if (legal.has(status)) return []
  const now = states.size === 0 ? (missing ?? 'nothing') : listed(states)
  const fault = states.size === 0 ? `cannot become ${status} yet: ${now}` : `${now} cannot become ${status}`
  return [`status: ${fault}; legal next: ${inOrder(rows, legal) || 'none'}`]
}

/** Automatic moves, and cancellation, which clients may request at any time. */
const byItself = (rows: Rows) => rows.filter(({ after, to }) => after !== undefined || to === 'cancelled')

function closure(states: States, rows: Rows): States {
  const reached = new Set(states)
  // The loop also visits states added meanwhile.
  for (const state of reached) for (const { from, to } of rows) if (from === state) reached.add(to)
  return reached
}

const listed = (states: States) => [...states].join(' or ')

/** In the order of the table. */
function inOrder(rows: Rows, states: States): string {
  return [...new Set(rows.flatMap(({ from, to }) => [from, to]))].filter((state) => states.has(state)).join(', ')
}
