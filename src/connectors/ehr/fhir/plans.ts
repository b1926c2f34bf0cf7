import type { Clock } from '../../../base/clock.ts'
import type { RunContext } from '../../../systems/system.ts'
import type { Capabilities, TypeCapabilities } from './capabilities.ts'
import { type StoredType, storedTypes } from './chart-types.ts'
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
  /** The same for one run, which hears when it waits for what the server says. */
  during(this: void, run: Pick<RunContext, 'beginRequest'>): Plans
  /** Throws what `load` throws. */
  of(this: void, type: StoredType): Promise<TypePlan>
  /** The server refused what the plan relies on: asks it again what it takes, and resolves with whether there is another way. What it goes on saying that it takes counts as refused only where the refusal can be of nothing else (`isCertain`). */
  contradicted(this: void, type: StoredType, plan: TypePlan, refusal: { isCertain: boolean }): Promise<boolean>
  /** Says that nothing is written of a type: once in the log, and each time to the run. */
  skipped(this: void, type: StoredType, plan: TypePlan, run: Pick<RunContext, 'leftOut' | 'log'>): void
  /** Why nothing at all is written; absent where something is. Throws what `load` throws. */
  whyNothing(this: void): Promise<string | undefined>
  /** The types that are written, as the server says when it is asked anew. Throws what `load` throws. */
  taken(this: void): Promise<StoredType[]>
}

/** As the client of the chart names it. */
const metadataRequest = 'GET /metadata'
/** What a server takes is asked for again after so long. */
const keptForMs = 3_600_000
/** And no sooner than this, where it did not say, does not do what it says, or takes nothing. */
const refreshedAfterMs = 60_000

/** Makes the plans of one chart. */
export function createPlans({ load, overrides, clock }: PlansDeps): Plans {
  /** `isIdle`: nothing is written. */
  let loaded: { capabilities: Capabilities | undefined; at: number; isIdle: boolean } | undefined
  let loading: Promise<Capabilities | undefined> | undefined
  const excluded = new Map<StoredType, Set<Strategy>>()
  const said = new Set<string>()
  /** The last plan of each type, and what it was made from: asked for with every write. */
  const planned = new Map<StoredType, PlanMade>()

  async function capabilities(beginRequest: BeginRequest): Promise<Capabilities | undefined> {
    const isStated = loaded?.capabilities !== undefined
    const keptMs = isStated && !loaded?.isIdle ? keptForMs : refreshedAfterMs
    if (loaded !== undefined && clock.now() - loaded.at < keptMs) {
      return loaded.capabilities
    }
    // What was found out by trying counts until the server may have changed.
    if (isStated) excluded.clear()
    const { answered } = beginRequest(metadataRequest)
    // For all runs that wait, so that none of them being given up costs the others.
    loading ??= load().finally(() => (loading = undefined))
    const stated = await loading
    const isIdle = storedTypes.every((type) => makePlan(type, stated, undefined).strategy === 'skip')
    loaded = { capabilities: stated, at: clock.now(), isIdle }
    answered()
    return loaded.capabilities
  }

  function makePlan(
    type: StoredType,
    stated: Capabilities | undefined,
    excluded: ReadonlySet<Strategy> | undefined,
  ): TypePlan {
    const ofType = stated === undefined ? unstated : stated.types.get(type)
    return planFor(type, ofType, { override: overrides[type], ...(excluded && { excluded }) })
  }

  async function planOf(
    type: StoredType,
    excluded: ReadonlySet<Strategy> | undefined,
    beginRequest: BeginRequest,
  ): Promise<TypePlan> {
    const override = overrides[type]
    // Of what is left out, the server need not be asked.
    if (override === 'skip') return planFor(type, undefined, { override })
    const stated = await capabilities(beginRequest)
    const ofType = stated === undefined ? unstated : stated.types.get(type)
    const known = planned.get(type)
    if (known !== undefined && known.ofType === ofType && known.excluded === excluded) return known.plan
    const plan = makePlan(type, stated, excluded)
    planned.set(type, { ofType, excluded, plan })
    return plan
  }

  function plansFor(beginRequest: BeginRequest): Plans {
    const of = (type: StoredType) => planOf(type, excluded.get(type), beginRequest)
    return {
      during: (run) => plansFor(run.beginRequest),
      of,
      async contradicted(type, { strategy }, { isCertain }) {
        if (overrides[type] !== undefined) return false
        if (loaded !== undefined && clock.now() - loaded.at >= refreshedAfterMs) loaded = undefined
        const before = excluded.get(type) ?? new Set()
        if ((await planOf(type, before, beginRequest)).strategy !== strategy) return true
        if (!isCertain && loaded?.capabilities !== undefined) return false
        const now = new Set([...before, strategy])
        if ((await planOf(type, now, beginRequest)).strategy === 'skip') return false
        excluded.set(type, now)
        return true
      },
      skipped(type, { reason }, { leftOut, log }) {
        leftOut({ type, reason })
        if (said.has(`${type} ${reason}`)) return
        said.add(`${type} ${reason}`)
        log.warn({}, `no ${type} is written to the chart: ${reason}`)
      },
      async whyNothing() {
        const reasons = new Set<string>()
        for (const type of storedTypes) {
          const { strategy, reason } = await of(type)
          if (strategy !== 'skip') return undefined
          reasons.add(reason)
        }
        return [...reasons].join('; ')
      },
      async taken() {
        excluded.clear()
        loaded = undefined
        const taken: StoredType[] = []
        for (const type of storedTypes) if ((await of(type)).strategy !== 'skip') taken.push(type)
        return taken
      },
    }
  }
  return plansFor(() => ({ answered() {} }))
}

type BeginRequest = RunContext['beginRequest']
