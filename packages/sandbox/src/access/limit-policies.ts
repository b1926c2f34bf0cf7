import type { PolicyName } from 'pawl-client/schemas/rate-policies'
import type { Operation } from '../platform/operations.ts'

/** Units per window, by policy. */
export type Quotas = Record<PolicyName, number>

/** Parts of a request that policies count. */
export interface MeasuredRequest {
  operation: Operation
  /** Number of submitted drugs, for a BV creation. */
  drugs: number
  isRealTime: boolean
}

/** Applies to requests for which it counts at least one unit. */
export interface Policy {
  name: PolicyName
  windowSeconds: number
  /** `dh-unit`; absent if the unit is a request. */
  unit?: 'drug'
  /** Whether the quota is per endpoint or per organization. */
  partition: 'endpoint' | 'organization'
  /** A request that creates nothing consumes no units (specification, Limits 2). */
  countsOnlyCreated: boolean
  unitsOf(request: MeasuredRequest): number
}

const day = 86_400
const creates = ({ operation }: MeasuredRequest, route: string) =>
  operation.method === 'POST' && operation.route === route
const perEndpoint = { windowSeconds: 60, partition: 'endpoint', countsOnlyCreated: false } as const
const perOrganization = { partition: 'organization', countsOnlyCreated: true } as const

/** All policies (specification, Limits). Cancellations and other control operations match only their endpoint policy. */
export const policies: readonly Policy[] = [
  {
    name: 'read-endpoint-minute',
    ...perEndpoint,
    unitsOf: ({ operation }) => (operation.method === 'GET' ? 1 : 0),
  },
  {
    name: 'write-endpoint-minute',
    ...perEndpoint,
    unitsOf: ({ operation }) => (operation.method === 'GET' ? 0 : 1),
  },
  {
    name: 'rtbv-drug-minute',
    windowSeconds: 60,
    unit: 'drug',
    ...perOrganization,
    unitsOf: (request) => (request.isRealTime && creates(request, '/benefit-verification') ? request.drugs : 0),
  },
  {
    name: 'bv-drug-24h',
    windowSeconds: day,
    unit: 'drug',
    ...perOrganization,
    unitsOf: (request) => (creates(request, '/benefit-verification') ? request.drugs : 0),
  },
  {
    name: 'pa-create-24h',
    windowSeconds: day,
    ...perOrganization,
    unitsOf: (request) => (creates(request, '/prior-authorization') ? 1 : 0),
  },
]

/** Default quotas, high enough for load tests; the real ones are not documented. */
export const defaultQuotas: Quotas = {
  'read-endpoint-minute': 60_000,
  'write-endpoint-minute': 60_000,
  'rtbv-drug-minute': 60_000,
  'bv-drug-24h': 5_000_000,
  'pa-create-24h': 5_000_000,
}
