import { systemCodeOf } from '@pawl/base/errors'
import { type Fetch, fetchAt } from '@pawl/base/net/fetch'
import { addressesOf, pinAddress, reachOf, type Resolve } from '@pawl/base/net/pin-address'
import { FhirTokenUnavailable } from './token-errors.ts'

/**
 * Reaches a token endpoint that the EHR names and no setting confirms. Allowed: the EHR's own origin, https on the public internet, and the private
 * network or machine of the EHR. Throws `FhirTokenUnavailable` for any other.
 */
export async function reachTokenEndpoint(tokenUrl: string, baseUrl: string, resolve?: Resolve): Promise<Fetch> {
  const base = new URL(baseUrl)
  try {
    const reaches = new Set((await addressesOf(base, resolve)).map(({ address }) => reachOf(address)))
    const lookup = await pinAddress(new URL(tokenUrl), {
      mayConnect: (address, { origin, protocol }) => {
        const reach = reachOf(address)
        if (origin === base.origin) return true
        return reach === 'public' ? protocol === 'https:' || reaches.has(reach) : reaches.has(reach)
      },
      resolve,
    })
    if (lookup !== undefined) return fetchAt(lookup)
  } catch (error) {
    throw new FhirTokenUnavailable({ reason: `its token endpoint is not found (${systemCodeOf(error) ?? 'unknown'})` })
  }
  throw new FhirTokenUnavailable({
    reason:
      'its SMART configuration names a token endpoint in a network other than its own; set FHIR_TOKEN_URL if that is right',
  })
}
