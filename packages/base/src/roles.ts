/** Rights on the admin listener. `view`: ids and codes. `operate`: work. `privacy`: the audit trail, and the erasure of patients. `reveal`: the stored content of a resource. `start`: requests from a chart's prescriptions, whose content it shows. */
export const rights = ['view', 'operate', 'privacy', 'reveal', 'start'] as const
export type Right = (typeof rights)[number]

/** The roles of people, with the rights of each. */
export const roles = {
  viewer: ['view'],
  operator: ['view', 'operate'],
  privacy_officer: ['view', 'privacy'],
  reveal: ['view', 'reveal'],
  requester: ['view', 'start'],
} as const satisfies Record<string, readonly Right[]>
export type Role = keyof typeof roles

/** The names of the roles, in documented order. */
// Safe cast: `roles` has exactly these keys.
export const roleNames = Object.keys(roles) as [Role, ...Role[]]

/** Whether a word, such as a group of an identity provider, names a role. */
export function isRole(word: string): word is Role {
  return Object.hasOwn(roles, word)
}

/** All rights of these roles. */
export function rightsOf(names: readonly Role[]): ReadonlySet<Right> {
  return new Set(names.flatMap((name) => roles[name]))
}
