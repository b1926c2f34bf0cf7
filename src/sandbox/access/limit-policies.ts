import type { Operation } from '../platform/operations.ts'

/** The five policies of the specification (Limits). */
export const policyNames = [
  'read-endpoint-minute',
  'write-endpoint-minute',
  'rtbv-drug-minute',
  'bv-drug-24h',
  'pa-create-24h',
] as const
export type PolicyName = (typeof policyNames)[number]

/** Units a window, by policy. */
export type Quotas = Record<PolicyName, number>

/** What the policies measure of one request. */
export interface MeasuredRequest {
  operation: Operation
  /** Submitted drugs, where it creates a BV. */
  drugs: number
  isRealTime: boolean
}

/** One policy; it applies where it counts one unit or more. */
export interface Policy {
  name: PolicyName
  windowSeconds: number
  /** `dh-unit` where something else than requests is counted. */
  unit?: 'drug'
  /** Each endpoint has an allowance of its own, or the organization has one. */
  partition: 'endpoint' | 'organization'
  /** A request that creates nothing gets its units back (specification, Limits 2). */
  countsOnlyCreated: boolean
  unitsOf(request: MeasuredRequest): number
}

const day = 86_400
const creates = ({ operation }: MeasuredRequest, route: string) =>
  operation.method === 'POST' && operation.route === route
const perEndpoint = { windowSeconds: 60, partition: 'endpoint', countsOnlyCreated: false } as const
const perOrganization = { partition: 'organization', countsOnlyCreated: true } as const

/** Every policy, as data (specification, Limits). Cancels and other controls match none but their endpoint's. */
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

/** Quotas of an organization that was given none; the real ones are not shown. Wide enough for load tests. */
export const defaultQuotas: Quotas = {
  'read-endpoint-minute': 60_000,
  'write-endpoint-minute': 60_000,
  'rtbv-drug-minute': 60_000,
  'bv-drug-24h': 5_000_000,
  'pa-create-24h': 5_000_000,
}
