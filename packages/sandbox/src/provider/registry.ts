import { type ProviderLookupRequest, type Individual, type ProviderLookupAnswer } from 'pawl-client/schemas/provider'
import type { Random } from '../platform/random.ts'
import { testValues } from '../platform/test-values.ts'
import { isNpi, npiOf } from 'pawl-client/schemas/npi'

/** A registry of invented providers. */
export interface Registry {
  lookUp(request: ProviderLookupRequest): ProviderLookupAnswer
  /** Whether an NPI can be used for outreach. */
  isActive(npi: string): boolean
}

const firstNames = ['Testina', 'Sample', 'Exempla', 'Placebo'] as const
const lastNames = ['Muster', 'Fictional', 'Invented', 'Nobody'] as const
const states = ['OR', 'TX', 'NY', 'OH'] as const

/** Knows every NPI with a valid check digit; the seed decides its owner. */
export function createRegistry({ random }: { random: Random }): Registry {
  /** Providers found by name: a later lookup by number returns the same one. */
  const found = new Map<string, Individual>()

  function individual(npi: string): Individual {
    const draw = random.fork(`registry/${npi}`)
    const invented = { first_name: draw.pick(firstNames), last_name: draw.pick(lastNames), state: draw.pick(states) }
    return found.get(npi) ?? { npi, ...invented }
  }

  function byNumber(npi: string): ProviderLookupAnswer {
    if (npi === testValues.registryErrorNpi) return { status: 'registry_error' }
    if (!isNpi(npi)) return { status: 'not_found' }
    return { status: npi === testValues.deactivatedNpi ? 'deactivated' : 'active', individual: individual(npi) }
  }

  function byName(name: Omit<Individual, 'npi'>): ProviderLookupAnswer {
    if (name.last_name === testValues.registryErrorName) return { status: 'registry_error' }
    if (name.last_name === testValues.unknownName) return { status: 'not_found' }
    const draw = random.fork(`registry/${name.first_name}/${name.last_name}/${name.state}`)
    const candidates = Array.from({ length: 1 + Math.floor(draw.next() * 3) }, () => ({
      npi: npiOf(`1${draw.digits(8)}`),
      ...name,
    }))
    for (const candidate of candidates) found.set(candidate.npi, candidate)
    return { status: 'search_results', candidates }
  }

  return {
    lookUp: (request) => ('npi' in request ? byNumber(request.npi) : byName(request)),
    isActive: (npi) => byNumber(npi).status === 'active',
  }
}
