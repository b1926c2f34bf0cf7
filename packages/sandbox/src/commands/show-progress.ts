import type { RunProgress } from '../scenarios/run-progress.ts'
import { isOnRequest } from '../webhooks/webhooks.ts'

/** Formats a run's progress for people. */
export function showProgress(progress: RunProgress): string[] {
  switch (progress.kind) {
    case 'started':
      return started(progress)
    case 'step':
      return [`  ${String(progress.number).padStart(2)}. ${progress.does}`]
    case 'ended':
      return ended(progress)
  }
}

function started({ scenario, summary, events }: Extract<RunProgress, { kind: 'started' }>): string[] {
  if (events.length === 0) return [`${scenario}: ${summary}`, '', 'Steps:']
  const width = (texts: string[]) => Math.max(...texts.map(({ length }) => length))
  const resources = width(events.map(({ resource }) => resource))
  const types = width(events.map(({ event_type }) => event_type)) + 1
  const lines = events.map(({ resource, event_type, shows = '' }, index) => {
    const type = `${event_type}${isOnRequest(event_type) ? '*' : ''}`
    return `  ${String(index + 1).padStart(2)}. ${resource.padEnd(resources)}  ${type.padEnd(types)}  ${shows}`.trimEnd()
  })
  const note = events.some(({ event_type }) => isOnRequest(event_type))
    ? ['  * only to a webhook that names this type']
    : []
  return [`${scenario}: ${summary}`, '', 'Expect these events, in this order:', ...lines, ...note, '', 'Steps:']
}

function ended({ ok, faults, ids, ends, listens, deliveries }: Extract<RunProgress, { kind: 'ended' }>): string[] {
  const names = Object.keys(ids)
  const width = Math.max(0, ...names.map(({ length }) => length))
  const statuses = Math.max(0, ...Object.values(ends).map(({ length }) => length))
  const lines = names.map((name) => `  ${name.padEnd(width)}  ${(ends[name] ?? '').padEnd(statuses)}  ${ids[name]}`)
  const delivered = deliveries.filter(({ state }) => state === 'delivered').length
  return [
    '',
    ok ? 'Ended as expected:' : 'Did not end as expected:',
    ...lines,
    ...faults.map((fault) => `  ${fault}`),
    deliveries.length === 0 && !listens
      ? 'No webhook is enabled: start the sandbox with --webhook-url and --webhook-secret, or add one (docs/sandbox.md).'
      : `Deliveries: ${deliveries.length}, answered with 2xx so far: ${delivered}.`,
  ]
}
