import type { Right } from '../../base/roles.ts'

/** What a route needs; `nothing`: it is there for those who are not known yet. */
export interface RouteRule {
  method: 'get' | 'post'
  path: string
  needs: Right | 'nothing'
}

const get = (needs: RouteRule['needs'], ...paths: string[]): RouteRule[] =>
  paths.map((path) => ({ method: 'get', path, needs }))
const post = (needs: RouteRule['needs'], ...paths: string[]): RouteRule[] =>
  paths.map((path) => ({ method: 'post', path, needs }))

/** Every route of the admin listener, with the right that it needs: a route that is not listed answers nobody. */
export const routeRules: readonly RouteRule[] = [
  ...get('nothing', '/assets/:name', '/login', '/login/oidc', '/login/oidc/callback'),
  ...post('nothing', '/login', '/logout'),

  ...get('view', '/readyz', '/metrics'),
  ...get('view', '/api/status', '/api/handlers', '/api/parked', '/api/due', '/api/events', '/api/events/:id'),
  ...get('view', '/api/alerts', '/api/alerts/history', '/api/work-queue', '/api/drift', '/api/report'),
  ...get('view', '/api/resources', '/api/resources/:id', '/api/resources/:id/story'),
  ...post('view', '/api/resources/find'),
  ...get('view', '/', '/live', '/parked', '/parked/jobs/:id', '/resources', '/resources/:id'),
  ...get('view', '/events', '/rejections', '/handlers', '/handlers/hold', '/alerts', '/settings'),
  ...get('view', '/work-queue', '/drift', '/report'),
  ...post('view', '/resources/find'),

  ...post('operate', '/api/retry', '/api/parked/retry', '/api/parked/release', '/api/parked/discard'),
  ...post(
    'operate',
    '/api/pause',
    '/api/resume',
    '/api/sync',
    '/api/reconcile',
    '/api/alerts/test',
    '/api/keys/rotate',
    '/api/ledger/purge',
    '/api/patients/forget',
    '/api/backfill',
  ),
  ...post(
    'operate',
    '/handlers/pause',
    '/handlers/resume',
    '/resources/:id/retry',
    '/parked/retry',
    '/parked/jobs/:id/cancel',
  ),

  ...get('privacy', '/api/audit', '/api/audit/verdict', '/audit', '/audit/export'),
  ...post('privacy', '/audit/verify', '/api/patients/find', '/api/patients/erase', '/api/patients/wipe'),

  ...post('reveal', '/api/resources/:id/reveal', '/resources/:id/reveal'),
]
