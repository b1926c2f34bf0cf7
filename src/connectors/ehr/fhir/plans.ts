import type { Clock } from '../../../clock.ts'
import type { Log } from '../../../log.ts'
import type { Capabilities, TypeCapabilities } from './capabilities.ts'
import type { StoredType } from './chart-types.ts'
import { planFor, type Strategy, type TypePlan, unstated } from './strategy.ts'

export interface PlansDeps {
  /** Asks the server what it takes; `undefined` where it does not say. */
  load(): Promise<Capabilities | undefined>
  /** What the settings say instead, by type. */
  overrides: Partial<Record<StoredType, Strategy>>
  clock: Clock
}

interface PlanMade {
  ofType: TypeCapabilities | undefined
  excluded: ReadonlySet<Strategy> | undefined
  plan: TypePlan
}

/** How each type is written to one chart; shared by all runs. */
export interface Plans {
  /** Throws what `load` throws. */
  of(this: void, type: StoredType): Promise<TypePlan>
  /** The server refused what the plan relies on: asks it again what it takes, and resolves with whether there is another way. What it goes on saying that it takes counts as refused only where the refusal can be of nothing else (`isCertain`). */
  contradicted(this: void, type: StoredType, plan: TypePlan, refusal: { isCertain: boolean }): Promise<boolean>
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
  /** The last plan of each type, and what it was made from: asked for with every write. */
  const planned = new Map<StoredType, PlanMade>()

  async function capabilities(): Promise<Capabilities | undefined> {
    const isStated = loaded?.capabilities !== undefined
    if (loaded !== undefined && clock.now() - loaded.at < (isStated ? keptForMs : refreshedAfterMs)) {
      return loaded.capabilities
    }
    // What was found out by trying counts until the server may have changed.
    if (isStated) excluded.clear()
    // For all runs that wait, so that none of them being given up costs the others.
    loading ??= load().finally(() => (loading = undefined))
    loaded = { capabilities: await loading, at: clock.now() }
    return loaded.capabilities
  }

  async function planOf(type: StoredType, excluded: ReadonlySet<Strategy> | undefined): Promise<TypePlan> {
    const override = overrides[type]
    // Of what is left out, the server need not be asked.
    if (override === 'skip') return planFor(type, undefined, { override })
    const stated = await capabilities()
    const ofType = stated === undefined ? unstated : stated.types.get(type)
    const known = planned.get(type)
    if (known !== undefined && known.ofType === ofType && known.excluded === excluded) return known.plan
    const plan = planFor(type, ofType, { override, ...(excluded && { excluded }) })
    planned.set(type, { ofType, excluded, plan })
    return plan
  }

  return {
    of: (type) => planOf(type, excluded.get(type)),
    async contradicted(type, { strategy }, { isCertain }) {
      if (overrides[type] !== undefined) return false
      if (loaded !== undefined && clock.now() - loaded.at >= refreshedAfterMs) loaded = undefined
      const before = excluded.get(type) ?? new Set()
      if ((await planOf(type, before)).strategy !== strategy) return true
      if (!isCertain && loaded?.capabilities !== undefined) return false
      const now = new Set([...before, strategy])
      if ((await planOf(type, now)).strategy === 'skip') return false
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
