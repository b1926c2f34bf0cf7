import type { Clock } from '@pawl/base/clock'
import type { RunContext } from '@pawl/connector/system'
import type { Capabilities, TypeCapabilities } from './capabilities.ts'
import { everyWritten, type StoredType, typeOf, type Written } from './chart-types.ts'
import type { VendorProfile } from './profiles/profile.ts'
import { r4 } from './profiles/r4.ts'
import { demandsOf } from './profiles/vendor-profiles.ts'
import { planFor, type Strategy, type TypePlan, unstated } from './strategy.ts'

export interface PlansDeps {
  /** Reads the server's capabilities; `undefined` if it states none. */
  load(): Promise<Capabilities | undefined>
  /** Strategies from the settings; that of a kind of documents precedes that of the type. */
  overrides: Strategies
  /** The profile of a chart by its stated names, with the settings' overrides. Default: R4 only. */
  profileOf?: (names: readonly string[]) => VendorProfile
  clock: Clock
}

/** Strategies by type, and by kind of documents. */
export type Strategies = Partial<Record<Written, Strategy>>

export function strategyFor(strategies: Strategies, written: Written): Strategy | undefined {
  return strategies[written] ?? strategies[typeOf(written)]
}

interface CachedPlan {
  ofType: TypeCapabilities | undefined
  excluded: ReadonlySet<Strategy> | undefined
  plan: TypePlan
}

/** How each type is written to one chart; shared by all runs. */
export interface Plans {
  /** The same plans for one run, to which capability requests are reported. */
  during(this: void, run: Pick<RunContext, 'beginRequest'>): Plans
  /** Throws the errors of `load`. */
  of(this: void, written: Written): Promise<TypePlan>
  /** The stated capabilities of a type that pawl does not write, such as Encounter; undefined if none. Throws the errors of `load`. */
  capabilitiesOf(this: void, type: string): Promise<TypeCapabilities | undefined>
  /** The chart's demands beyond R4. Throws the errors of `load`. */
  profile(this: void): Promise<VendorProfile>
  /** The same without a request: undefined until the capabilities were read. */
  knownProfile(this: void): VendorProfile | undefined
  /** Call after the server refused a request of the plan. Reads the capabilities again and resolves with whether another strategy remains. A strategy that the server still states is excluded only if the refusal can have no other cause (`isCertain`). */
  contradicted(this: void, written: Written, plan: TypePlan, refusal: { isCertain: boolean }): Promise<boolean>
  /** Call after the server refused a stated capability: plans of the type omit it until the capabilities are read again. */
  refused(this: void, type: StoredType, what: keyof typeof without): void
  /** Reports a type that is not written: once in the log, and each time to the run. */
  skipped(this: void, written: Written, plan: TypePlan, run: Pick<RunContext, 'leftOut' | 'log'>): void
  /** Why the chart takes no type; undefined if it takes one. Throws the errors of `load`. */
  whyNothing(this: void): Promise<string | undefined>
  /** The types and kinds that are written, by freshly read capabilities. Throws the errors of `load`. */
  taken(this: void): Promise<Written[]>
}

/** Changes to a plan after a refused capability. */
const without = {
  patch: { canPatch: false },
  'conditional create': { hasConditionalCreate: false, findsOnCreate: false },
} as const satisfies Record<string, Partial<TypePlan>>

/** Must match the request name in `chart-client.ts`. */
const metadataRequest = 'GET /metadata'
/** Milliseconds after which capabilities are read again. */
const staleAfterMs = 3_600_000
/** Milliseconds after which they are read again if the server stated none, contradicted them, or takes no type. */
const retryAfterMs = 60_000

/** Makes the plans of one chart. */
export function createPlans({ load, overrides, profileOf = () => r4, clock }: PlansDeps): Plans {
  /** `isIdle`: nothing is written. */
  let loaded: { capabilities: Capabilities | undefined; at: number; isIdle: boolean } | undefined
  let loading: Promise<Capabilities | undefined> | undefined
  const excluded = new Map<StoredType, Set<Strategy>>()
  const refused = new Map<StoredType, Partial<TypePlan>>()
  const logged = new Set<string>()
  /** Each type's last plan with its inputs, since all writes need it. */
  const cache = new Map<Written, CachedPlan>()

  /** The capabilities as last read, unless they must be read again. */
  function current(): typeof loaded {
    const keptMs = loaded?.capabilities !== undefined && !loaded.isIdle ? staleAfterMs : retryAfterMs
    return loaded !== undefined && clock.now() - loaded.at < keptMs ? loaded : undefined
  }

  async function capabilities(beginRequest: BeginRequest): Promise<Capabilities | undefined> {
    const known = current()
    if (known !== undefined) return known.capabilities
    // Exclusions last until the capabilities are read again.
    if (loaded?.capabilities !== undefined) {
      excluded.clear()
      refused.clear()
    }
    const { answered } = beginRequest(metadataRequest)
    // Shared by all waiting runs, so that an aborted run does not fail the others.
    loading ??= load().finally(() => (loading = undefined))
    const stated = await loading
    const isIdle = everyWritten.every((each) => makePlan(each, stated, undefined).strategy === 'skip')
    loaded = { capabilities: stated, at: clock.now(), isIdle }
    answered()
    return loaded.capabilities
  }

  function makePlan(
    written: Written,
    stated: Capabilities | undefined,
    excluded: ReadonlySet<Strategy> | undefined,
  ): TypePlan {
    const type = typeOf(written)
    const ofType = stated === undefined ? unstated : stated.types.get(type)
    const demands = demandsOf(profileOf(stated?.names ?? []), type)
    return planFor(type, ofType, { override: strategyFor(overrides, written), demands, ...(excluded && { excluded }) })
  }

  async function planOf(
    written: Written,
    excluded: ReadonlySet<Strategy> | undefined,
    beginRequest: BeginRequest,
  ): Promise<TypePlan> {
    const type = typeOf(written)
    const override = strategyFor(overrides, written)
    // A skipped type needs no capabilities.
    if (override === 'skip') return planFor(type, undefined, { override })
    const read = current()
    const stated = read === undefined ? await capabilities(beginRequest) : read.capabilities
    const ofType = stated === undefined ? unstated : stated.types.get(type)
    let known = cache.get(written)
    if (known === undefined || known.ofType !== ofType || known.excluded !== excluded) {
      known = { ofType, excluded, plan: makePlan(written, stated, excluded) }
      cache.set(written, known)
    }
    const lacking = refused.get(type)
    return lacking === undefined ? known.plan : { ...known.plan, ...lacking }
  }

  function plansFor(beginRequest: BeginRequest): Plans {
    const of = (written: Written) => planOf(written, excluded.get(typeOf(written)), beginRequest)
    return {
      during: (run) => plansFor(run.beginRequest),
      of,
      capabilitiesOf: async (type) => (await capabilities(beginRequest))?.types.get(type),
      knownProfile: () => (loaded === undefined ? undefined : profileOf(loaded.capabilities?.names ?? [])),
      profile: async () => profileOf((await capabilities(beginRequest))?.names ?? []),
      async contradicted(written, { strategy }, { isCertain }) {
        if (strategyFor(overrides, written) !== undefined) return false
        const type = typeOf(written)
        if (loaded !== undefined && clock.now() - loaded.at >= retryAfterMs) loaded = undefined
        const before = excluded.get(type) ?? new Set()
        if ((await planOf(type, before, beginRequest)).strategy !== strategy) return true
        if (!isCertain && loaded?.capabilities !== undefined) return false
        const now = new Set([...before, strategy])
        if ((await planOf(type, now, beginRequest)).strategy === 'skip') return false
        excluded.set(type, now)
        return true
      },
      refused: (type, what) => void refused.set(type, { ...refused.get(type), ...without[what] }),
      skipped(written, { reason }, { leftOut, log }) {
        // Name the kind if only it is left out.
        const type = overrides[written] === undefined ? typeOf(written) : written
        leftOut({ type, reason })
        if (logged.has(`${type} ${reason}`)) return
        logged.add(`${type} ${reason}`)
        log.warn({}, `no ${type} is written to the chart: ${reason}`)
      },
      async whyNothing() {
        const reasons = new Set<string>()
        for (const written of everyWritten) {
          const { strategy, reason } = await of(written)
          if (strategy !== 'skip') return undefined
          reasons.add(reason)
        }
        return [...reasons].join('; ')
      },
      async taken() {
        excluded.clear()
        loaded = undefined
        const taken: Written[] = []
        for (const written of everyWritten) if ((await of(written)).strategy !== 'skip') taken.push(written)
        return taken
      },
    }
  }
  return plansFor(() => ({ answered() {} }))
}

type BeginRequest = RunContext['beginRequest']
