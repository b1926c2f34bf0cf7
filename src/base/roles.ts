/** What somebody may do on the admin listener: look at ids and codes; change what becomes of work; read the audit trail and erase patients; open what is stored of a resource. */
export const rights = ['view', 'operate', 'privacy', 'reveal'] as const
export type Right = (typeof rights)[number]

/** The roles that people have, and the rights that each gives. */
export const roles = {
  viewer: ['view'],
  operator: ['view', 'operate'],
  privacy_officer: ['view', 'privacy'],
  reveal: ['view', 'reveal'],
} as const satisfies Record<string, readonly Right[]>
export type Role = keyof typeof roles

/** The names of the roles, in the order in which they are documented. */
// The object's own keys.
export const roleNames = Object.keys(roles) as [Role, ...Role[]]

/** Whether a word, such as a group of an identity provider, names a role. */
export function isRole(word: string): word is Role {
  return Object.hasOwn(roles, word)
}

/** All rights that these roles give together. */
export function rightsOf(names: readonly Role[]): ReadonlySet<Right> {
  return new Set(names.flatMap((name) => roles[name]))
}
