import type { Call } from '@pawl/testing/lines/line'

/** The host of an own system. */
export function hostOf(path: string): string {
  return /^\/https?_([^/]+)/.exec(path)?.[1] ?? 'a system'
}

/** A request to an own system or a port's method, for the report, such as `POST /cases to desk.example`. Ids are left out. */
export function describeRequest({ system, place }: { system: string; place: string }): string {
  const [method = '', path = ''] = place.split(' ')
  if (!path.startsWith('/')) return `call ${system}.${method}`
  const below = (path.split('?')[0] ?? '').replace(/^\/https?_[^/]+/, '')
  return `${method} ${below.replaceAll(/[\w-]*(?:\d|_[a-z]{14})[\w-]*/g, '{id}') || '/'} to ${system}`
}

/** A request to any system, for the report. */
export function describeCall({ system, method, path }: Pick<Call, 'system' | 'method' | 'path'>): string {
  return system === 'own'
    ? describeRequest({ system: hostOf(path), place: `${method} ${path}` })
    : `${method} to the ${system}`
}
