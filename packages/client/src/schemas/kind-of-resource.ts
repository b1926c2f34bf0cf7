/** The kinds of resource that webhooks are about. */
export const resourceKinds = ['prior_authorization', 'benefit_verification', 'provider_outreach'] as const
export type ResourceKind = (typeof resourceKinds)[number]
