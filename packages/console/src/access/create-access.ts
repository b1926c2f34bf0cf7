import { type RequestHandler, Router } from 'express'
import type { AddressRanges } from '@pawl/base/net/address-ranges'
import type { Log } from '@pawl/base/log'
import { createAuthenticate } from './authenticate.ts'
import { createAuthorize } from './authorize.tsx'
import { type AdminUser, createCredentials } from './credentials.ts'
import { createGroupedNotes } from '@pawl/ledger/audit/grouped-notes'
import { createLoginLimits } from '@pawl/base/net/login-limits'
import { createLoginRoutes } from './login-routes.tsx'
import { createLoopbackOnly } from './loopback-only.ts'
import { createOidcRoutes, oidcMarkOf, type OidcSettings } from './oidc.tsx'
import { createSameOriginOnly } from './same-origin.ts'
import { createSessions } from './session.ts'
import { createSessionClock } from './session-clock.ts'
import { createReservedNames } from './person-name.ts'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'
import type { Logins } from '@pawl/ledger/audit/logins'
import type { AuditViews } from '@pawl/ledger/audit/read-audit'

/** Ways to authenticate; with none, anyone on this machine may do everything. */
export interface AccessSettings {
  /** Password for any name, with every right. */
  password: string | undefined
  users: readonly AdminUser[]
  /** The public address of the console. */
  publicUrl: string | undefined
  proxy: { userHeader: string; rolesHeader: string | undefined } | undefined
  oidc: OidcSettings | undefined
  trustedProxies: AddressRanges
  /** The key of sessions is derived from it; absent: sessions end with the process. */
  sessionKey: Uint8Array | undefined
}

export interface AccessDeps {
  settings: AccessSettings
  ledger: Pick<AuditTrail, 'audit'> & Logins & Pick<AuditViews, 'isSessionEnded'>
  /** Aborts when the process stops. */
  stopping: AbortSignal
  log: Log
}

/** Access control of the admin listener: `guard` goes before every route, `routes` log in and out. */
export function createAccess({ settings, ledger, stopping, log }: AccessDeps): {
  guard: RequestHandler
  routes: Router
} {
  const { password, users, publicUrl, proxy, oidc, trustedProxies, sessionKey } = settings
  const isOpen = password === undefined && users.length === 0 && proxy === undefined && oidc === undefined
  const clock = createSessionClock({ ledger })
  if (!isOpen) {
    const rounds = clock.start()
    stopping.addEventListener('abort', () => void rounds.close())
  }
  const sessions = createSessions({ key: sessionKey, clock, ledger })
  const isReserved = createReservedNames(users)
  const { audit } = ledger
  const notes = createGroupedNotes({ audit, stopping, log })
  const credentials = createCredentials({
    sharedPassword: password,
    users,
    limits: createLoginLimits({ isShared: password !== undefined }),
  })

  const guard = Router()
  guard.use(
    isOpen
      ? createLoopbackOnly(sessions)
      : createAuthenticate({
          credentials,
          sessions,
          proxy,
          trustedProxies,
          oidc: oidc && { issuer: oidc.issuer, mark: oidcMarkOf(oidc) },
          isReserved,
          ledger,
          notes,
        }),
  )
  guard.use(createSameOriginOnly(publicUrl))
  guard.use(createAuthorize(notes))

  const routes = Router()
  const hasProvider = oidc !== undefined
  routes.use(createLoginRoutes({ credentials, sessions, hasProvider, trustedProxies, notes, audit }))
  if (oidc !== undefined) {
    const hasProxy = proxy !== undefined
    routes.use(createOidcRoutes({ oidc, hasProxy, isReserved, sessions, trustedProxies, notes, ledger, log }))
  }
  return { guard, routes }
}
