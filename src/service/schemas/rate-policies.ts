/** The five policies of the service's rate limits (specification, Limits). */
export const policyNames = [
  'read-endpoint-minute',
  'write-endpoint-minute',
  'rtbv-drug-minute',
  'bv-drug-24h',
  'pa-create-24h',
] as const
export type PolicyName = (typeof policyNames)[number]
