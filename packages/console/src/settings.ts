import { z } from 'zod'
import { isThisMachine } from '@pawl/base/net/public-address'
import { isPasswordHash } from '@pawl/base/password-hash'
import { roleNames } from '@pawl/base/roles'
import { type GivenSettings, httpAddress, json, port, token, type ValuesOf } from '@pawl/base/setting-types'

/** One word, for the audit trail and headers. */
const personName = z.string().regex(/^[\x21-\x39\x3b-\x7e]{1,120}$/)
const headerName = z.string().regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be the name of a header')

/** A person who may use the admin listener. */
const AdminUser = z.strictObject({
  name: personName,
  roles: z.array(z.enum(roleNames)).min(1),
  password: z.string().refine(isPasswordHash),
})

/** The settings of the admin listener. */
export const consoleSettings = {
  ADMIN_HOST: z
    .string()
    .default('127.0.0.1')
    .describe(
      'Address to listen on for administration; any but loopback needs authentication: ADMIN_PASSWORD, ADMIN_USERS, OIDC_ISSUER or ADMIN_PROXY_USER_HEADER.',
    ),
  ADMIN_PORT: port(3001).describe('Port of the admin listener.'),
  ADMIN_PASSWORD: z
    .string()
    .min(12, 'must have at least 12 characters')
    .optional()
    .describe(
      'Shared password of the admin listener, for any name and every right, at least 12 characters. Without any authentication set, anyone on this machine has every right. For the command line: your own password, with ADMIN_USER.',
    )
    .meta({ secret: 'own' }),
  ADMIN_USER: personName
    .optional()
    .describe(
      'For the command line only: your name among ADMIN_USERS of the running pawl, with your own password in ADMIN_PASSWORD.',
    ),
  ADMIN_USERS: json(
    z
      .array(AdminUser)
      .min(1)
      .refine((users) => new Set(users.map(({ name }) => name)).size === users.length),
    `must be a JSON array of entries that pawl users hash prints, each with a name of its own and roles out of ${roleNames.join(', ')}`,
  )
    .optional()
    .describe(
      'Users with their own password and roles, a JSON array of the entries that pawl users hash prints. Roles: viewer, operator, privacy_officer, reveal, requester (see docs/security.md).',
    ),
  ADMIN_URL: httpAddress
    .optional()
    .describe(
      'Address of the console as people open it, such as https://pawl.clinic.example; alerts link to it, and OIDC_ISSUER needs it. Absent: no links.',
    ),
  ADMIN_PROXY_USER_HEADER: headerName
    .optional()
    .describe(
      'Header in which a proxy among TRUSTED_PROXIES names the user, such as X-Forwarded-User; it must remove that header from requests it receives. Absent: no header is believed.',
    ),
  ADMIN_PROXY_ROLES_HEADER: headerName
    .optional()
    .describe("Header in which it names the user's roles, separated by commas or spaces; unknown roles are ignored."),
  OIDC_ISSUER: httpAddress
    .refine(
      (text) => !text.startsWith('http:') || isThisMachine(new URL(text).hostname),
      'must start with https://, since logins depend on it',
    )
    .optional()
    .describe(
      'Identity provider for logins (OpenID Connect); register pawl there with the redirect address ADMIN_URL followed by /login/oidc/callback.',
    ),
  OIDC_CLIENT_ID: token.optional().describe('Client id of pawl at the identity provider.'),
  OIDC_CLIENT_SECRET: token.optional().describe('Client secret of OIDC_CLIENT_ID.').meta({ secret: 'own' }),
  OIDC_ROLES_CLAIM: z
    .string()
    .default('roles')
    .describe(
      'Claim of the ID token with the roles, as a list or as words; realm_access.roles means roles within realm_access.',
    ),
}

/** Settings of authentication at the admin listener. */
const waysIn = ['ADMIN_PASSWORD', 'ADMIN_USERS', 'OIDC_ISSUER', 'ADMIN_PROXY_USER_HEADER'] as const

export function checkConsole({ given, needed }: GivenSettings<keyof typeof consoleSettings | 'TRUSTED_PROXIES'>): void {
  if (!isThisMachine(given.ADMIN_HOST ?? '127.0.0.1'))
    if (waysIn.every((name) => given[name] === undefined))
      needed(
        'ADMIN_PASSWORD',
        `ADMIN_HOST can be reached from other machines, without authentication: set it, or one of ${waysIn.slice(1).join(', ')}`,
      )
  if (given.OIDC_ISSUER !== undefined) {
    needed('OIDC_CLIENT_ID', 'it identifies pawl at OIDC_ISSUER')
    needed('OIDC_CLIENT_SECRET', 'it authenticates pawl at OIDC_ISSUER')
    needed('ADMIN_URL', 'OIDC_ISSUER redirects to it')
  }
  if (given.ADMIN_PROXY_USER_HEADER !== undefined)
    needed('TRUSTED_PROXIES', 'ADMIN_PROXY_USER_HEADER is believed only from these addresses')
  if (given.ADMIN_PROXY_ROLES_HEADER !== undefined) needed('ADMIN_PROXY_USER_HEADER', 'it names the roles of that user')
}

/** Address and authentication of the admin listener. */
export function adminFrom(settings: ValuesOf<typeof consoleSettings>) {
  const {
    ADMIN_URL: publicUrl,
    ADMIN_PROXY_USER_HEADER: userHeader,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_ROLES_CLAIM: rolesClaim,
  } = settings
  return {
    host: settings.ADMIN_HOST,
    port: settings.ADMIN_PORT,
    /** Shared password, for any name. */
    password: settings.ADMIN_PASSWORD,
    users: settings.ADMIN_USERS ?? [],
    /** The public address. */
    publicUrl,
    /** Headers in which a trusted proxy names the user. */
    proxy: userHeader === undefined ? undefined : { userHeader, rolesHeader: settings.ADMIN_PROXY_ROLES_HEADER },
    oidc:
      issuer === undefined || clientId === undefined || clientSecret === undefined || publicUrl === undefined
        ? undefined
        : { issuer, clientId, clientSecret, rolesClaim, publicUrl },
  }
}
