import { z } from 'zod'
import { isPasswordHash } from '../base/password-hash.ts'
import { roleNames } from '../base/roles.ts'
import { type GivenSettings, httpAddress, json, port, token, type ValuesOf } from '../base/setting-types.ts'

/** One word, as it stands in the audit trail and travels in headers. */
const personName = z.string().regex(/^[\x21-\x39\x3b-\x7e]{1,120}$/)
const headerName = z.string().regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be the name of a header')

/** A person who may use the admin listener. */
const AdminUser = z.strictObject({
  name: personName,
  roles: z.array(z.enum(roleNames)).min(1),
  password: z.string().refine(isPasswordHash),
})

const loopback = new Set(['127.0.0.1', '::1', 'localhost'])

/** The settings of the admin listener. */
export const consoleSettings = {
  ADMIN_HOST: z
    .string()
    .default('127.0.0.1')
    .describe(
      'Address to listen on for administration; anything but this machine needs a way to know who asks: ADMIN_PASSWORD, ADMIN_USERS, OIDC_ISSUER or ADMIN_PROXY_USER_HEADER.',
    ),
  ADMIN_PORT: port(3001).describe('Port of the admin listener.'),
  ADMIN_PASSWORD: z
    .string()
    .min(12, 'must have at least 12 characters')
    .optional()
    .describe(
      'Password of the admin listener that serves all, under any name and for every right, at least 12 characters; where no way to know who asks is set, none is asked for on this machine. For the command line: your own, with ADMIN_USER.',
    ),
  ADMIN_USER: personName
    .optional()
    .describe(
      'For the command line alone: your name among ADMIN_USERS of the running pawl, with your own password in ADMIN_PASSWORD.',
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
      'People with a password and roles of their own, a JSON array of the entries that pawl users hash prints. Roles: viewer, operator, privacy_officer, reveal (see docs/security.md).',
    ),
  ADMIN_URL: httpAddress
    .optional()
    .describe(
      'Address of the console as people open it, such as https://pawl.clinic.example; alerts link to it, and OIDC_ISSUER needs it. Absent: no links.',
    ),
  ADMIN_PROXY_USER_HEADER: headerName
    .optional()
    .describe(
      'Header in which a proxy among TRUSTED_PROXIES names who asks, such as X-Forwarded-User; it must take that header out of what it gets. Absent: no header is believed.',
    ),
  ADMIN_PROXY_ROLES_HEADER: headerName
    .optional()
    .describe(
      'Header in which it names their roles, separated by commas or spaces; words that are no roles mean nothing.',
    ),
  OIDC_ISSUER: httpAddress
    .refine(
      (text) => !text.startsWith('http:') || loopback.has(new URL(text).hostname.replaceAll(/[[\]]/g, '')),
      'must start with https://, as who may log in depends on it',
    )
    .optional()
    .describe(
      'Identity provider that people log in at (OpenID Connect); pawl is registered there with the redirect address ADMIN_URL followed by /login/oidc/callback.',
    ),
  OIDC_CLIENT_ID: token.optional().describe('Id that the identity provider knows pawl by.'),
  OIDC_CLIENT_SECRET: token.optional().describe('Secret that goes with OIDC_CLIENT_ID.'),
  OIDC_ROLES_CLAIM: z
    .string()
    .default('roles')
    .describe(
      'Claim of the ID token that names roles, as a list or as words; realm_access.roles names roles within realm_access.',
    ),
}

/** Settings by which people are known to the admin listener. */
const waysIn = ['ADMIN_PASSWORD', 'ADMIN_USERS', 'OIDC_ISSUER', 'ADMIN_PROXY_USER_HEADER'] as const

export function checkConsole({ given, needed }: GivenSettings<keyof typeof consoleSettings | 'TRUSTED_PROXIES'>): void {
  if (!loopback.has(given.ADMIN_HOST ?? '127.0.0.1'))
    if (waysIn.every((name) => given[name] === undefined))
      needed(
        'ADMIN_PASSWORD',
        `ADMIN_HOST can be reached from other machines, and nobody is asked who they are: set it, or one of ${waysIn.slice(1).join(', ')}`,
      )
  if (given.OIDC_ISSUER !== undefined) {
    needed('OIDC_CLIENT_ID', 'OIDC_ISSUER knows pawl by it')
    needed('OIDC_CLIENT_SECRET', 'OIDC_ISSUER answers pawl only with it')
    needed('ADMIN_URL', 'OIDC_ISSUER sends people back to it')
  }
  if (given.ADMIN_PROXY_USER_HEADER !== undefined)
    needed('TRUSTED_PROXIES', 'ADMIN_PROXY_USER_HEADER is believed from these addresses alone')
  if (given.ADMIN_PROXY_ROLES_HEADER !== undefined)
    needed('ADMIN_PROXY_USER_HEADER', 'ADMIN_PROXY_ROLES_HEADER says what that person may do')
}

/** Where the admin listener is, and by what people are known to it. */
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
    /** Serves all, under any name. */
    password: settings.ADMIN_PASSWORD,
    users: settings.ADMIN_USERS ?? [],
    /** The address that people use. */
    publicUrl,
    /** What a trusted proxy says of who asks. */
    proxy: userHeader === undefined ? undefined : { userHeader, rolesHeader: settings.ADMIN_PROXY_ROLES_HEADER },
    oidc:
      issuer === undefined || clientId === undefined || clientSecret === undefined || publicUrl === undefined
        ? undefined
        : { issuer, clientId, clientSecret, rolesClaim, publicUrl },
  }
}
