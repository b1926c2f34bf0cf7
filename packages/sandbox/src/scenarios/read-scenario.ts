import type { z } from 'zod'
import { describeIssue } from '../platform/describe-issue.ts'
import { endFaults, statusFaults } from './legal-values.ts'
import { type CreatedKind, Scenario, type Step, type StepKind, stepKinds, stepSchemas } from './schema.ts'

/** An invalid scenario; each of `faults` names the position and the legal values. */
export class ScenarioInvalid extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.name = 'ScenarioInvalid'
    this.faults = faults
  }
}

/** Throws `ScenarioInvalid` with every fault, each with the number and kind of its step. */
export function readScenario(input: unknown): Scenario {
  const parsed = Scenario.safeParse(input)
  const faults = parsed.success ? nameFaults(parsed.data) : schemaFaults(input)
  if (faults.length > 0) throw new ScenarioInvalid(faults)
  // The compiler cannot see that a failed parse has faults.
  return parsed.data as Scenario
}

/** Parses the steps one by one: the error of a union would not name the intended kind. */
function schemaFaults(input: unknown): string[] {
  const parsed = Scenario.safeParse(input)
  if (parsed.success) return []
  const outside = parsed.error.issues.filter(({ path }) => path[0] !== 'steps' || path.length < 2)
  const steps = isObject(input) && Array.isArray(input.steps) ? (input.steps as unknown[]) : []
  return [
    ...outside.map((issue) => told('', issue, Object.keys(Scenario.shape))),
    ...steps.flatMap((step, index) => stepFaults(step, index + 1)),
  ]
}

function stepFaults(step: unknown, number: number): string[] {
  const kind = isObject(step) ? stepKinds.find((one) => one === step.step) : undefined
  if (kind === undefined) return [`step ${number}: step must be one of ${stepKinds.join(', ')}`]
  const parsed = stepSchemas[kind].safeParse(step)
  if (parsed.success) return []
  return parsed.error.issues.map((issue) => told(`step ${number} (${kind})`, issue, fieldsOf(kind)))
}

const fieldsOf = (kind: StepKind) => Object.keys(stepSchemas[kind].shape).filter((field) => field !== 'step')

function told(where: string, issue: z.core.$ZodIssue, fields: readonly string[]): string {
  const place = issue.path.filter((part) => part !== 'step').join('.')
  const text = describeIssue(issue, place === '' ? fields : undefined)
  return [where, place, text].filter((part) => part !== '').join(': ')
}

/** Faults of steps that name uncreated resources, or states that do not exist. */
function nameFaults({ steps, events = [], ends = {} }: Scenario): string[] {
  const created = new Map<string, CreatedKind>()
  const faults = steps.flatMap((step, index) => {
    const unknown = namesIn(step).filter((name) => !created.has(name))
    const where = `step ${index + 1} (${step.step})`
    const found = unknown.map((name) => `${where}: no step has created "${name}" yet; ${legalNames(created)}`)
    if (step.step !== 'create') {
      const kind = 'resource' in step && step.resource !== undefined ? created.get(step.resource) : undefined
      return [...found, ...statusFaults(step, kind).map((fault) => `${where}: ${fault}`)]
    }
    if (created.has(step.as)) found.push(`${where}: as: "${step.as}" is taken already`)
    if (step.refused_with === undefined) created.set(step.as, step.kind)
    return found
  })
  const later = [...events.map(({ resource }) => resource.split('.')[0] ?? ''), ...Object.keys(ends)]
  const strangers = [...new Set(later)].filter((name) => !created.has(name))
  return [
    ...faults,
    ...strangers.map((name) => `events and ends: no step creates "${name}"; ${legalNames(created)}`),
    ...Object.entries(ends).flatMap(([name, expected]) => endFaults(name, expected, created.get(name))),
  ]
}

function namesIn(step: Step): string[] {
  if (step.step === 'create') return referencesIn(step.body)
  return 'resource' in step && step.resource !== undefined ? [step.resource] : []
}

/** Strings of a body that are references as a whole. */
function referencesIn(value: unknown): string[] {
  if (typeof value === 'string') {
    const name = /^\$([a-z][a-z0-9_]*)$/.exec(value)?.[1]
    return name === undefined || name === 'run' ? [] : [name]
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(referencesIn) : []
}

const legalNames = (created: ReadonlyMap<string, CreatedKind>) =>
  created.size === 0 ? 'a create step comes first' : `created so far: ${[...created.keys()].join(', ')}`

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
