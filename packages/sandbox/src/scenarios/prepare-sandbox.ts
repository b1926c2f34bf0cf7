import { z } from 'zod'
import { type CallSandbox, dataOf } from './call-sandbox.ts'
import type { Scenario } from './schema.ts'

const Clock = z.object({ speed: z.number() })
const Settings = z.record(z.string(), z.unknown())

/** Stops sandbox time, so that only the scenario moves resources, and applies its settings to the organization. Resolves with a function that undoes both, and the scenario's chaos. */
export async function prepareSandbox(
  scenario: Scenario,
  { call, organization }: { call: CallSandbox; organization: string },
): Promise<() => Promise<void>> {
  const undo: (() => Promise<void>)[] = []
  const { speed } = Clock.parse(dataOf(await call('GET', '/_sandbox/clock')))
  dataOf(await call('PUT', '/_sandbox/clock', { speed: 0 }))
  undo.push(async () => {
    const now = Clock.parse(dataOf(await call('GET', '/_sandbox/clock')))
    // Keep a speed that was set meanwhile.
    if (now.speed === 0) dataOf(await call('PUT', '/_sandbox/clock', { speed }))
  })
  if (scenario.organization !== undefined) {
    const path = `/_sandbox/organizations/${encodeURIComponent(organization)}`
    const settings = Settings.parse(dataOf(await call('GET', path)))
    const before = Object.fromEntries(Object.keys(scenario.organization).map((name) => [name, settings[name]]))
    dataOf(await call('PATCH', path, scenario.organization))
    undo.push(async () => void dataOf(await call('PATCH', path, before)))
  }
  if (scenario.steps.some(({ step }) => step === 'chaos')) {
    const before = dataOf(await call('GET', '/_sandbox/chaos'))
    undo.push(async () => void dataOf(await call('PUT', '/_sandbox/chaos', before)))
  }
  return async () => {
    for (const one of undo.toReversed()) await one()
  }
}
