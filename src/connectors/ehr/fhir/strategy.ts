import type { TypeCapabilities } from './capabilities.ts'
import type { StoredType } from './chart-types.ts'

/**
 * How pawl writes one type, from the most that a server can offer to the least. `conditional-update`: PUT by identifier.
 * `search`: search by identifier, then create or update. `remember`: create, and update by the id that was given. `create`: create alone; a
 * document that changed is created again and replaces the one before. `skip`: not at all.
 */
export const strategies = ['conditional-update', 'search', 'remember', 'create', 'skip'] as const
export type Strategy = (typeof strategies)[number]

/** How one type is written to a chart, and why. */
export interface TypePlan {
  strategy: Strategy
  /** Half a sentence: `the server takes create and update`. */
  reason: string
  /** The server creates only what it does not hold yet (If-None-Exist). */
  hasConditionalCreate: boolean
  /** How the patient's resources of the type can be listed, to find one whose id was lost. */
  patientParameter: 'patient' | 'subject' | undefined
}

/** What never changes, or what a later one can replace, can be written where nothing can be updated. */
const appendable: readonly StoredType[] = ['Communication', 'DocumentReference']

/** The plan of one type by what the server says of it; `undefined` where it serves no such type. `override`: what the settings say instead; `excluded`: what the server said that it does, and then did not do. */
export function planFor(
  type: StoredType,
  capabilities: TypeCapabilities | undefined,
  { override, excluded = new Set() }: { override?: Strategy | undefined; excluded?: ReadonlySet<Strategy> } = {},
): TypePlan {
  const { strategy, reason } =
    override === undefined
      ? choose(type, capabilities, excluded)
      : { strategy: override, reason: 'FHIR_STRATEGIES says so' }
  const parameters = capabilities?.searchParameters
  const byPatient = (['patient', 'subject'] as const).find((name) => parameters?.has(name))
  return {
    strategy,
    reason,
    hasConditionalCreate: capabilities?.hasConditionalCreate ?? false,
    patientParameter: capabilities?.canSearch === true ? byPatient : undefined,
  }
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
    return { strategy: 'skip', reason: 'the server refused what it says that it takes' }
  }
  if (canCreate) return { strategy: 'skip', reason: 'the server takes create alone, and what is written there changes' }
  if (canUpdate) return { strategy: 'skip', reason: 'the server takes updates, but no create' }
  return { strategy: 'skip', reason: `the server takes no writes of ${type}` }
}

/** What a server is taken to do that does not say: everything, until it refuses. */
export const unstated: TypeCapabilities = {
  canRead: true,
  canSearch: true,
  canCreate: true,
  canUpdate: true,
  canDelete: true,
  hasConditionalCreate: true,
  hasConditionalUpdate: true,
  searchParameters: new Set(['identifier', 'patient']),
}
