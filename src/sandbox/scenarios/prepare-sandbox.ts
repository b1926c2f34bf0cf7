import { z } from 'zod'
import { type CallSandbox, dataOf } from './call-sandbox.ts'
import type { Scenario } from './schema.ts'

const Clock = z.object({ speed: z.number() })
const Organizations = z.array(z.looseObject({ id: z.string() }))

/** The settings of an organization that its control takes. */
const settingNames = [
  'workflow',
  'manual_review',
  'api_access',
  'pharmacy',
  'requires_provider_authorization',
  'daily_prior_auth_limit',
  'daily_new_plan_limit',
]

/** Stops the sandbox's time, so that nothing moves but what the scenario moves, and gives the organization the scenario's settings; resolves with what undoes both, and the scenario's chaos. */
export async function prepareSandbox(
  scenario: Scenario,
  { call, organization }: { call: CallSandbox; organization: string },
): Promise<() => Promise<void>> {
  const undo: (() => Promise<void>)[] = []
  const { speed } = Clock.parse(dataOf(await call('GET', '/_sandbox/clock')))
  dataOf(await call('PUT', '/_sandbox/clock', { speed: 0 }))
  undo.push(async () => {
    const now = Clock.parse(dataOf(await call('GET', '/_sandbox/clock')))
    // Whoever has set another speed meanwhile keeps it.
    if (now.speed === 0) dataOf(await call('PUT', '/_sandbox/clock', { speed }))
  })
  if (scenario.organization !== undefined) {
    const path = `/_sandbox/organizations/${encodeURIComponent(organization)}`
    const before = await readSettings(call, organization)
    dataOf(await call('PUT', path, { ...before, ...scenario.organization }))
    undo.push(async () => void dataOf(await call('PUT', path, before)))
  }
  if (scenario.steps.some(({ step }) => step === 'chaos')) {
    const before = dataOf(await call('GET', '/_sandbox/chaos'))
    undo.push(async () => void dataOf(await call('PUT', '/_sandbox/chaos', before)))
  }
  return async () => {
    for (const one of undo.toReversed()) await one()
  }
}

/** The organization's settings as its control takes them. */
async function readSettings(call: CallSandbox, organization: string): Promise<Record<string, unknown>> {
  const listed = Organizations.parse(dataOf(await call('GET', '/_sandbox/organizations')))
  const found = listed.find(({ id }) => id === organization) ?? {}
  const entries = Object.entries(found).map(([key, value]) => [snakeCase(key), value] as const)
  return Object.fromEntries(entries.filter(([key, value]) => settingNames.includes(key) && value !== null))
}

const snakeCase = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
