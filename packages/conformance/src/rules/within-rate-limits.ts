import { notApplicable, passUnless, type Rule } from './rule.ts'

/** Tolerance for requests already in flight when another is refused. It grows on a busy machine. */
const slackMs = 700

/** After a 429, the process leaves that endpoint alone until `Retry-After` has passed. */
export const rateLimits: Rule = {
  id: 'rate-limits',
  title: 'Rate limits respected',
  judge({ calls }) {
    const asked = calls.filter(({ system }) => system === 'service')
    const refused = asked.filter(({ answered }) => answered?.status === 429)
    if (refused.length === 0) return notApplicable('the service never rate-limited pawl')
    return passUnless(
      refused.flatMap((one) => {
        const waitMs = one.answered?.retryAfterMs ?? 0
        const early = asked.filter(
          (other) =>
            other.generation === one.generation &&
            routeOf(other) === routeOf(one) &&
            other.startedAt > one.endedAt + slackMs &&
            other.startedAt < one.endedAt + waitMs - slackMs,
        )
        return early.length === 0
          ? []
          : [`${routeOf(one)} was called ${early.length} times before the service's Retry-After had passed`]
      }),
    )
  },
}

function routeOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path.replace(/\/\w+_\w{10,}/, '/{id}').split('?')[0]}`
}
