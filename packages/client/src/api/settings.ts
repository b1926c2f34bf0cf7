import { httpAddress, token, type ValuesOf } from '@pawl/base/setting-types'

/** Address and token of the service. */
export const serviceSettings = {
  API_BASE_URL: httpAddress
    .optional()
    .describe('Required to work: address of the service, such as http://127.0.0.1:4000 for the sandbox.')
    .meta({ isBase: true, isOutward: true }),
  API_TOKEN: token.optional().describe("Required to work: the organization's API token.").meta({ secret: 'issued' }),
  ENROLLMENT_BASE_URL: httpAddress
    .optional()
    .describe(
      "Address of the host for patient enrollments, which differs from the service's own, such as http://127.0.0.1:4000/enrollment for the sandbox; without it enrollPatient of a handler throws.",
    )
    .meta({ isBase: true, isOutward: true }),
}

/** Address and token of the service; undefined in a process that only receives. */
export function apiFrom(settings: ValuesOf<typeof serviceSettings>) {
  const { API_BASE_URL: baseUrl, API_TOKEN: token, ENROLLMENT_BASE_URL: enrollmentBaseUrl } = settings
  return baseUrl === undefined || token === undefined ? undefined : { baseUrl, token, enrollmentBaseUrl }
}
