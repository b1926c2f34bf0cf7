import type { Finding, Verdict } from '../contract/status-verdict.ts'
import { Clock } from '../../base/pages/words.tsx'
import { ProbeForm } from './cause-actions.tsx'

/** How pawl stands, what to do and the one action; below it what else is to be seen to. */
export function VerdictBlock({ verdict: [first, ...others] }: { verdict: Verdict }) {
  return (
    <>
      <section class={`verdict ${first.tone}`} aria-label="Verdict">
        <p class="headline">
          <Beginning of={first} />
        </p>
        {first.effect !== undefined && <p class="effect">{first.effect}</p>}
        <Remedies of={first} />
        {(first.note !== undefined || first.command !== undefined) && (
          <p class="faint">
            {first.note} {first.command !== undefined && <code>{first.command}</code>}
          </p>
        )}
      </section>
      {others.length > 0 && (
        <ul class="also" aria-label="Also">
          {others.slice(0, maxOthers).map((each) => (
            <li class={each.tone}>
              <span>
                <Beginning of={each} />
                {each.effect !== undefined && ` ${each.effect}`}
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

/** What is wrong, since when and why. */
function Beginning({ of: { what, since, why } }: { of: Finding }) {
  return (
    <>
      {what}
      {since !== undefined && (
        <>
          {' since '}
          <Clock at={since} />
        </>
      )}
      {why !== undefined && ` (${why})`}.
    </>
  )
}

/** What to do in words, the one button that does it or leads there, and links to the rest. */
function Remedies({ of: { todo, page, act, isOptional = false, runbook, asks } }: { of: Finding }) {
  if (todo === undefined && page === undefined && runbook === undefined) return null
  const isMended = page !== undefined && !isOptional
  const isGuided = runbook !== undefined
  return (
    <div class="actions">
      {todo !== undefined && <strong>{todo}</strong>}
      {isMended && (
        <a class="button act" href={page}>
          {act}
        </a>
      )}
      {asks !== undefined && <ProbeForm system={asks} from="/" />}
      {isGuided && (
        <a class={isMended || asks !== undefined ? undefined : 'button act'} href={`/runbook#${runbook}`}>
          What to do
        </a>
      )}
      {page !== undefined && isOptional && <a href={page}>{act}</a>}
    </div>
  )
}
