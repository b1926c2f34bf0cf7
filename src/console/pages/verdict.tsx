import type { Finding, Verdict } from '../contract/status-verdict.ts'
import { Clock } from '../../base/pages/words.tsx'
import { ProbeForm } from './cause-actions.tsx'

/** How pawl stands, what to do and the one action; below it what else is to be seen to. */
export function VerdictBlock({ verdict: [first, ...others] }: { verdict: Verdict }) {
  return (
    <>
      <section class={`verdict ${first.tone}`} aria-label="Verdict">
        <p class="headline">
          <Sentence of={first} />
        </p>
        {first.todo !== undefined && <p>{first.todo}</p>}
        <Remedies of={first} />
      </section>
      {others.length > 0 && (
        <ul class="also" aria-label="Also">
          {others.slice(0, maxOthers).map((each) => (
            <li class={each.tone}>
              <span>
                <Sentence of={each} />
              </span>{' '}
              {each.page !== undefined && <a href={each.page}>{each.act}</a>}{' '}
              {each.runbook !== undefined && <a href={`/runbook#${each.runbook}`}>What to do</a>}
            </li>
          ))}
          {others.length > maxOthers && (
            <li class="warn">
              <a href="/parked">{others.length - maxOthers} more</a>
            </li>
          )}
        </ul>
      )}
    </>
  )
}

/** Max other findings on the overview. */
const maxOthers = 6

function Sentence({ of: { what, since, why, effect } }: { of: Finding }) {
  return (
    <>
      {what}
      {since !== undefined && (
        <>
          {' since '}
          <Clock at={since} />
        </>
      )}
      {why !== undefined && ` (${why})`}.{effect !== undefined && ` ${effect}`}
    </>
  )
}

function Remedies({ of: { page, act, isOptional = false, runbook, asks, command } }: { of: Finding }) {
  if (page === undefined && runbook === undefined && command === undefined) return null
  const action = page !== undefined && (
    <a class={isOptional ? 'button' : 'button act'} href={page}>
      {act}
    </a>
  )
  return (
    <div class="actions">
      {!isOptional && action}
      {runbook !== undefined && (
        <a class={page === undefined || isOptional ? 'button act' : 'button'} href={`/runbook#${runbook}`}>
          What to do
        </a>
      )}
      {asks !== undefined && <ProbeForm system={asks} from="/" />}
      {isOptional && action}
      {command !== undefined && <code>{command}</code>}
    </div>
  )
}
