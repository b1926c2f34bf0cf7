import type { Right } from '@pawl/base/roles'
import { contract } from '../contract/contract.ts'

/** The right that a route needs; `nothing`: open without authentication. */
export interface RouteRule {
  method: 'get' | 'post'
  path: string
  needs: Right | 'nothing'
}

const get = (needs: RouteRule['needs'], ...paths: string[]): RouteRule[] =>
  paths.map((path) => ({ method: 'get', path, needs }))
const post = (needs: RouteRule['needs'], ...paths: string[]): RouteRule[] =>
  paths.map((path) => ({ method: 'post', path, needs }))

/** Every route of the admin listener, with the right that it needs; unlisted routes are refused. */
export const routeRules: readonly RouteRule[] = [
  ...get('nothing', '/assets/:name', '/login', '/login/oidc', '/login/oidc/callback'),
  ...post('nothing', '/login', '/logout'),

  ...Object.values(contract).map(({ method, path, needs }) => ({ method, path, needs })),

  ...get('view', '/metrics'),
  ...get('view', '/', '/live', '/parked', '/resources', '/resources/:id'),
  ...get(
    'view',
    '/events',
    '/events/:id',
    '/runs',
    '/rejections',
    '/handlers',
    '/handlers/pause',
    '/alerts',
    '/settings',
  ),
  ...get('view', '/work-queue', '/report', '/history', '/ask', '/runbook', '/docs/:name', '/help'),
  ...post('view', '/resources/find'),

  ...post('operate', '/handlers/pause', '/handlers/resume', '/handlers/probe'),
  ...post('operate', '/parked/retry', '/parked/discard', '/work-queue/done', '/resources/:id/verify'),
  ...post('operate', '/ask/reconcile', '/ask/cancel', '/ask/none', '/ask/sync'),

  ...get('privacy', '/audit', '/audit/export', '/erase', '/erase/jobs/:id'),
  ...post('privacy', '/audit/verify', '/audit/acknowledge', '/erase', '/erase/jobs/:id'),

  ...get('start', '/start'),
  ...post('start', '/start', '/start/send'),

  ...post('reveal', '/resources/:id/reveal'),
]
