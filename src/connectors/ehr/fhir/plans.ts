import type { Clock } from '../../../clock.ts'
import type { Log } from '../../../log.ts'
import type { Capabilities } from './capabilities.ts'
import type { StoredType } from './chart-types.ts'
import { planFor, type Strategy, type TypePlan, unstated } from './strategy.ts'

export interface PlansDeps {
  /** Asks the server what it takes; `undefined` where it does not say. */
  load(signal: AbortSignal): Promise<Capabilities | undefined>
  /** What the settings say instead, by type. */
  overrides: Partial<Record<StoredType, Strategy>>
  clock: Clock
}

/** How each type is written to one chart; shared by all runs. */
export interface Plans {
  /** Throws what `load` throws. */
  of(this: void, type: StoredType, signal: AbortSignal): Promise<TypePlan>
  /** The server refused what the plan relies on: asks it again what it takes, and resolves with whether there is another way. What it goes on saying that it takes counts as refused only where the refusal can be of nothing else (`isCertain`). */
  contradicted(
    this: void,
    type: StoredType,
    plan: TypePlan,
    refusal: { isCertain: boolean; signal: AbortSignal },
  ): Promise<boolean>
  /** Says that nothing is written of a type, once. */
  skipped(this: void, type: StoredType, plan: TypePlan, log: Log): void
}

/** What a server takes is asked for again after so long. */
const keptForMs = 3_600_000
/** And no sooner than this, where it did not say, or does not do what it says. */
const refreshedAfterMs = 60_000

/** Makes the plans of one chart. */
export function createPlans({ load, overrides, clock }: PlansDeps): Plans {
  let loaded: { capabilities: Capabilities | undefined; at: number } | undefined
  let loading: Promise<Capabilities | undefined> | undefined
  const excluded = new Map<StoredType, Set<Strategy>>()
  const said = new Set<string>()

  async function capabilities(signal: AbortSignal): Promise<Capabilities | undefined> {
    const isStated = loaded?.capabilities !== undefined
    if (loaded !== undefined && clock.now() - loaded.at < (isStated ? keptForMs : refreshedAfterMs)) {
      return loaded.capabilities
    }
    // What was found out by trying counts until the server may have changed.
    if (isStated) excluded.clear()
    loading ??= load(signal).finally(() => (loading = undefined))
    loaded = { capabilities: await loading, at: clock.now() }
    return loaded.capabilities
  }

  async function planOf(type: StoredType, signal: AbortSignal, without: ReadonlySet<Strategy> | undefined) {
    const stated = await capabilities(signal)
    return planFor(type, stated === undefined ? unstated : stated.types.get(type), without)
  }

  return {
    async of(type, signal) {
      const strategy = overrides[type]
      if (strategy === 'skip') return { ...skipped, reason: 'FHIR_STRATEGIES says so' }
      const plan = await planOf(type, signal, excluded.get(type))
      return strategy === undefined ? plan : { ...plan, strategy, reason: 'FHIR_STRATEGIES says so' }
    },
    async contradicted(type, { strategy }, { isCertain, signal }) {
      if (overrides[type] !== undefined) return false
      if (loaded !== undefined && clock.now() - loaded.at >= refreshedAfterMs) loaded = undefined
      const before = excluded.get(type) ?? new Set()
      if ((await planOf(type, signal, before)).strategy !== strategy) return true
      if (!isCertain && loaded?.capabilities !== undefined) return false
      const now = new Set([...before, strategy])
      if ((await planOf(type, signal, now)).strategy === 'skip') return false
      excluded.set(type, now)
      return true
    },
    skipped(type, { reason }, log) {
      if (said.has(`${type} ${reason}`)) return
      said.add(`${type} ${reason}`)
      log.warn({}, `no ${type} is written to the chart: ${reason}`)
    },
  }
}

/** A plan that asks nothing of the server. */
const skipped = { strategy: 'skip', hasConditionalCreate: false, patientParameter: undefined } as const
