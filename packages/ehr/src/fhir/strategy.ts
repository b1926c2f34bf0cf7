import type { TypeCapabilities } from './capabilities.ts'
import type { StoredType } from './chart-types.ts'
import type { Content } from './owned.ts'
import type { TypeDemands } from './profiles/profile.ts'

/**
 * How pawl writes one type, from the most capable server to the least. `conditional-update`: PUT by identifier. `search`: search by identifier,
 * then create or update. `remember`: create, then update by the returned id. `create`: create only; a changed document is created again and
 * replaces the one before. `skip`: not at all.
 */
export const strategies = ['conditional-update', 'search', 'remember', 'create', 'skip'] as const
export type Strategy = (typeof strategies)[number]

/** How one type is written to a chart, and why. */
export interface TypePlan {
  strategy: Strategy
  /** A clause, such as `the server takes create and update`. */
  reason: string
  /** The server supports conditional create (If-None-Exist). */
  hasConditionalCreate: boolean
  /** It states that support: a create needs no search before it. */
  findsOnCreate: boolean
  canPatch: boolean
  /** Elements that an update omits, since the chart would append them. */
  appended: readonly string[]
  /** The elements that an update may hold; undefined: all. */
  updateElements: readonly string[] | undefined
  /** Search parameter that lists the patient's resources of the type, to find one whose id was lost. */
  patientParameter: 'patient' | 'subject' | undefined
}

/** The elements of a resource that an update may hold. */
export function forUpdate(
  { appended, updateElements }: Pick<TypePlan, 'appended' | 'updateElements'>,
  resource: Content,
): Content {
  const isTaken = (name: string) =>
    name === 'resourceType' || (!appended.includes(name) && updateElements?.includes(name) !== false)
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isTaken(name)))
}

/** Whether the plan searches by pawl's identifier. */
export function findsByIdentifier({ strategy }: Pick<TypePlan, 'strategy'>): boolean {
  return strategy === 'conditional-update' || strategy === 'search'
}

/** Types that never change, or that a later resource can replace: they need no updates. */
const appendable: readonly StoredType[] = ['Communication', 'DocumentReference']

/** The plan of one type by the server's capabilities; `undefined` if it does not serve the type. `override`: the settings' strategy; `excluded`: strategies that the server states but refused; `demands`: of the chart's profile. */
export function planFor(
  type: StoredType,
  capabilities: TypeCapabilities | undefined,
  {
    override,
    excluded = new Set(),
    demands = {},
  }: { override?: Strategy | undefined; excluded?: ReadonlySet<Strategy>; demands?: TypeDemands } = {},
): TypePlan {
  const { strategy, reason } =
    override === undefined
      ? chooseFor(demands, type, capabilities, excluded)
      : { strategy: override, reason: 'FHIR_STRATEGIES says so' }
  const parameters = capabilities?.searchParameters
  const byPatient = (['patient', 'subject'] as const).find((name) => parameters?.has(name))
  return {
    strategy,
    reason,
    hasConditionalCreate: capabilities?.hasConditionalCreate ?? false,
    findsOnCreate: capabilities !== unstated && capabilities?.hasConditionalCreate === true,
    canPatch: capabilities?.canPatch ?? false,
    appended: demands.appended?.is ?? [],
    updateElements: demands.updateElements?.is,
    patientParameter: capabilities?.canSearch === true ? byPatient : undefined,
  }
}

function chooseFor(
  { unfit, neverUpdated }: TypeDemands,
  type: StoredType,
  capabilities: TypeCapabilities | undefined,
  excluded: ReadonlySet<Strategy>,
): Pick<TypePlan, 'strategy' | 'reason'> {
  if (capabilities === undefined || unfit === undefined) {
    const takesNoUpdate = capabilities !== undefined && neverUpdated !== undefined
    return choose(type, takesNoUpdate ? { ...capabilities, canUpdate: false } : capabilities, excluded)
  }
  return { strategy: 'skip', reason: unfit.is }
}

function choose(
  type: StoredType,
  capabilities: TypeCapabilities | undefined,
  excluded: ReadonlySet<Strategy>,
): Pick<TypePlan, 'strategy' | 'reason'> {
  if (capabilities === undefined) return { strategy: 'skip', reason: `the server has no ${type}` }
  const { canRead, canSearch, canCreate, canUpdate, hasConditionalUpdate, searchParameters } = capabilities
  const findsByIdentifier = canSearch && searchParameters.has('identifier')
  const fitting: { strategy: Strategy; fits: boolean; reason: string }[] = [
    {
      strategy: 'conditional-update',
      fits: hasConditionalUpdate && canUpdate && findsByIdentifier,
      reason: 'the server takes updates by identifier',
    },
    {
      strategy: 'search',
      fits: canCreate && canUpdate && findsByIdentifier,
      reason: 'the server takes create and update, and finds by identifier',
    },
    {
      strategy: 'remember',
      fits: canCreate && canUpdate && canRead,
      reason: 'the server takes create and update, but does not find by identifier',
    },
    {
      strategy: 'create',
      fits: canCreate && appendable.includes(type),
      reason: 'the server takes create alone',
    },
  ]
  const first = fitting.find(({ strategy, fits }) => fits && !excluded.has(strategy))
  if (first !== undefined) return first
  if (canCreate && fitting.some(({ fits }) => fits)) {
    return { strategy: 'skip', reason: 'the server refused requests that it states to take' }
  }
  if (canCreate) return { strategy: 'skip', reason: 'the server takes create alone, and this type changes' }
  if (canUpdate) return { strategy: 'skip', reason: 'the server takes updates, but no create' }
  return { strategy: 'skip', reason: `the server takes no writes of ${type}` }
}

/** Capabilities assumed of a server that states none: all of them, until it refuses one. */
export const unstated: TypeCapabilities = {
  canRead: true,
  canSearch: true,
  canCreate: true,
  canUpdate: true,
  canPatch: false,
  canDelete: true,
  hasConditionalCreate: true,
  hasConditionalUpdate: true,
  searchParameters: new Set(['identifier', 'patient']),
}
