import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type CallSandbox, codeOf, dataOf, refusalText, StepRefused } from './call-sandbox.ts'
import { createBody } from './create-body.ts'
import { override, type Overrides } from './override.ts'
import { shownStatuses } from './shown-status.ts'
import type { CreatedKind, Step, StepKind, StepOf } from './schema.ts'

/** State of a run. */
export interface RunContext {
  call: CallSandbox
  organization: string
  /** Ids by name; `run` is the run's own id, for unique values. */
  ids: Map<string, string>
  kinds: Map<string, CreatedKind>
  /** For the body of every create. */
  overrides: Overrides
}

const endpoints: Record<CreatedKind, string> = {
  prior_authorization: '/prior-authorization',
  benefit_verification: '/benefit-verification',
  clinical_qualification: '/clinical-qualification',
  pa_status: '/pa-status',
}

/** Throws `StepRefused` if the sandbox refuses the step. */
export async function runStep(step: Step, context: RunContext): Promise<void> {
  // The compiler cannot see that a step reaches the function of its own kind.
  const run = runs[step.step] as (one: Step, about: RunContext) => Promise<void>
  await run(step, context)
}

const runs: { [Kind in StepKind]: (step: StepOf<Kind>, context: RunContext) => Promise<void> } = {
  create,
  push,
  wait,
  message: async ({ step: _step, resource, ...message }, context) => {
    dataOf(await context.call('POST', `/_sandbox/prior-authorization/${idOf(resource, context)}/messages`, message))
  },
  letter: async ({ step: _step, resource, ...activity }, context) => {
    dataOf(await context.call('POST', `/_sandbox/prior-authorization/${idOf(resource, context)}/activities`, activity))
  },
  fail: async ({ step: _step, ...failure }, { call, organization }) => {
    dataOf(await call('POST', `/_sandbox/organizations/${encodeURIComponent(organization)}/failures`, failure))
  },
  chaos: async ({ step: _step, ...settings }, { call }) => {
    dataOf(await call('PUT', '/_sandbox/chaos', settings))
  },
}

const Created = z.object({
  id: z.string(),
  provider_outreach: z.object({ attempts: z.array(z.object({ id: z.string(), channel: z.string() })) }).optional(),
})

const Triggering = z.object({ triggered_benefit_verification_id: z.string().nullable() })

async function create({ kind, as, body, refused_with }: StepOf<'create'>, context: RunContext): Promise<void> {
  const answer = await context.call(
    'POST',
    endpoints[kind],
    override(createBody(kind, body, context.ids), context.overrides),
  )
  if (refused_with !== undefined) {
    if (codeOf(answer) === refused_with) return
    const was = answer.status < 300 ? 'accepted' : refusalText(answer)
    throw new StepRefused(`expected a refusal with ${refused_with}, but it was ${was}`)
  }
  const { id, provider_outreach } = Created.parse(dataOf(answer))
  context.ids.set(as, id)
  context.kinds.set(as, kind)
  for (const attempt of provider_outreach?.attempts ?? []) context.ids.set(`${as}.${attempt.channel}`, attempt.id)
  if (kind !== 'prior_authorization') return
  const { triggered_benefit_verification_id: triggered } = Triggering.parse(await readResource(as, context))
  if (triggered !== null) context.ids.set(`${as}.benefit_verification`, triggered)
}

async function push({ resource, of, status, outcome }: StepOf<'push'>, context: RunContext): Promise<void> {
  const id = idOf(resource, context)
  const pa = `/_sandbox/prior-authorization/${id}`
  if (of === 'transfer') dataOf(await context.call('POST', `${pa}/transfer`, { state: status }))
  else if (of === 'benefits_check') {
    if (status !== 'completed') throw new StepRefused('a benefits check can only become completed')
    dataOf(await context.call('POST', `${pa}/benefits-check`))
  } else {
    const subject = of === undefined ? id : idOf(`${resource}.${of.slice('outreach_'.length)}`, context)
    dataOf(await context.call('POST', `/_sandbox/resources/${subject}/push`, { status, outcome }))
  }
}

/** Max transitions of the whole sandbox while waiting for one status. */
const maxTransitions = 10_000
const Stepped = z.object({ id: z.string().nullable() })

async function wait({ resource, status, hours, seconds }: StepOf<'wait'>, context: RunContext): Promise<void> {
  if (seconds !== undefined) await sleep(seconds * 1000)
  if (hours !== undefined) dataOf(await context.call('PUT', '/_sandbox/clock', { advance_ms: hours * 3_600_000 }))
  if (resource === undefined) return
  for (let count = 0; count < maxTransitions; count++) {
    const [now = 'without a status', ...others] = await readStatuses(resource, context)
    if (status === undefined || [now, ...others].includes(status)) return
    if ([now, ...others].includes('evaluated')) throw new StepRefused(`${resource} is ${now} and stays so`)
    const { id } = Stepped.parse(dataOf(await context.call('POST', '/_sandbox/step')))
    if (id === null) throw new StepRefused(`${resource} is ${now} and stays so: nothing is due`)
  }
  throw new StepRefused(`${resource} did not become ${status} within ${maxTransitions} transitions`)
}

/** The resource as GET returns it. */
export async function readResource(name: string, context: RunContext): Promise<unknown> {
  const kind = context.kinds.get(name)
  if (kind === undefined) throw new StepRefused(`no step created ${name}`)
  return dataOf(await context.call('GET', `${endpoints[kind]}/${idOf(name, context)}`))
}

/** Current statuses, most specific first. */
export async function readStatuses(name: string, context: RunContext): Promise<string[]> {
  const kind = context.kinds.get(name)
  return kind === undefined ? [] : shownStatuses(kind, await readResource(name, context))
}

function idOf(name: string, { ids }: RunContext): string {
  const id = ids.get(name)
  if (id !== undefined) return id
  throw new StepRefused(`there is no ${name}; use one of: ${[...ids.keys()].filter((one) => one !== 'run').join(', ')}`)
}
