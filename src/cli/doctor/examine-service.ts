import { sayAhead } from '@pawl/base/net/clock-ahead'
import { createApi } from 'pawl-client/api/client'
import { ApiError, ApiUnauthorized, ApiUnreachable, RateLimited } from 'pawl-client/api/api-errors'
import { ApiAccessNotEnabled } from 'pawl-client/api/refusals'
import { fail, type Finding, ok, warn } from './finding.ts'

const area = 'service'
const timeoutMs = 10_000
/** Max clock skew of webhook tokens, in milliseconds. */
const maxSkewMs = 30_000
const someSkewMs = 5_000

/** Reads the service's status, which checks the token, and compares its clock with the local one. Changes nothing there. */
export async function examineService({ baseUrl, token }: { baseUrl: string; token: string }): Promise<Finding[]> {
  let aheadMs: number | undefined
  const api = createApi({
    baseUrl,
    token,
    timeoutMs,
    maxAttempts: 1,
    onRequest: ({ clockAheadMs }) => (aheadMs = clockAheadMs),
  })
  const answered = await api.getStatus().then(
    () => ok(area, 'It is operational and accepts API_TOKEN.'),
    (error: unknown) => describeFailure(error),
  )
  return aheadMs === undefined ? [answered] : [answered, describeSkew(aheadMs)]
}

function describeFailure(error: unknown): Finding {
  if (!(error instanceof ApiError)) throw error
  // The remedy below names the settings.
  const says = `${error.message.split('; ')[0]}.`
  if (error instanceof ApiUnauthorized)
    return fail(area, says, "Set API_TOKEN to a token of your organization's that is valid at API_BASE_URL.")
  if (error instanceof ApiAccessNotEnabled)
    return fail(area, says, 'Ask the service to enable API access for your organization.')
  if (error instanceof ApiUnreachable)
    return fail(area, says, 'Correct API_BASE_URL, or let this machine connect there.')
  if (error instanceof RateLimited) return warn(area, says, 'Run this again in a minute.')
  return fail(area, says, 'Check that API_BASE_URL is the address of the service, and ask its status page.')
}

function describeSkew(aheadMs: number): Finding {
  const byMs = Math.abs(aheadMs)
  if (byMs <= someSkewMs) return ok('clock', "It agrees with the service's.")
  const says = `The local clock is ${sayAhead(aheadMs)} the service's.`
  const todo = 'Sync this machine by NTP (timedatectl shows whether it is).'
  return byMs > maxSkewMs ? fail('clock', says, todo) : warn('clock', says, todo)
}
