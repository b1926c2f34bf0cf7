import { notApplicable, passUnless, type Rule } from './rule.ts'

/** A request may be on its way while the refusal of another one is, on a busy machine for longer. */
const slackMs = 700

/** After the service said when to come back, nobody of that process asks the same endpoint earlier. */
export const rateLimits: Rule = {
  id: 'rate-limits',
  title: 'Rate limits respected',
  judge({ calls }) {
    const asked = calls.filter(({ system }) => system === 'service')
    const refused = asked.filter(({ answered }) => answered?.status === 429)
    if (refused.length === 0) return notApplicable('the service refused nothing for its rate')
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
          : [`${routeOf(one)} was asked ${early.length} times before the service's wait was over`]
      }),
    )
  },
}

function routeOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path.replace(/\/\w+_\w{10,}/, '/{id}').split('?')[0]}`
}
