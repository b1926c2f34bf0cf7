import type { Finding, Verdict } from '../contract/status-verdict.ts'
import { DeedForm } from './deeds.tsx'
import { Beginning } from './links.tsx'
import { Allowed } from './viewer.tsx'

/** The most urgent finding with its remedy, and a list of the others. */
export function VerdictBlock({ verdict: [first, ...others] }: { verdict: Verdict }) {
  return (
    <>
      <section class={`verdict ${first.severity}`} aria-label="Verdict">
        <p class="headline">
          <Beginning of={first} />
        </p>
        {first.effect !== undefined && <p class="effect">{first.effect}</p>}
        <Remedies of={first} />
        <More of={first} />
      </section>
      {others.length > 0 && (
        <ul class="also" aria-label="Also">
          {others.slice(0, maxOthers).map((each) => (
            <li class={each.severity}>
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

/** The remedy, as a button that applies it or leads to it. */
function Remedies({ of: { todo = '', page, act, isOptional = false, runbook, deeds = [], command } }: { of: Finding }) {
  // The words lead to a command that fixes the fault.
  const isCommandShown = command !== undefined && todo.endsWith(':')
  const guide = runbook === undefined ? undefined : `/runbook#${runbook}`
  const label = todo.replace(/\.$/, '')
  // The words stand before the button, not on it.
  const isLead = /[:?]$/.test(todo)
  const isPageMain = page !== undefined && !isOptional
  const [first, ...others] = deeds
  if (first !== undefined)
    return (
      <div class="actions">
        {isLead && <strong>{todo}</strong>}{' '}
        <Allowed
          to="operate"
          otherwise={isLead ? page !== undefined && <a href={page}>{act}</a> : <strong>{todo}</strong>}
        >
          {isPageMain && (
            <a class="button act" href={page}>
              {label}
            </a>
          )}{' '}
          <DeedForm deed={first} label={isLead || isPageMain ? undefined : label} isMain={!isPageMain} />{' '}
          {others.map((deed) => (
            <DeedForm key={deed.do} deed={deed} />
          ))}
        </Allowed>{' '}
        {guide !== undefined && <a href={guide}>How</a>}
      </div>
    )
  if (isPageMain)
    return (
      <div class="actions">
        {isLead && <strong>{todo}</strong>}{' '}
        <a class="button act" href={page}>
          {(!isLead && label) || act}
        </a>{' '}
        {guide !== undefined && <a href={guide}>How</a>}
      </div>
    )
  if (guide === undefined && label === '') return null
  return (
    <div class="actions">
      {label !== '' && <strong>{todo}</strong>} {isCommandShown && <code>{command}</code>}{' '}
      {guide !== undefined && <a href={guide}>{label === '' ? 'What to do' : 'How'}</a>}
    </div>
  )
}

/** Details that are not needed to understand the fault. */
function More({ of: { todo = '', note, page, act, isOptional = false, ...others } }: { of: Finding }) {
  const command = todo.endsWith(':') && others.deeds === undefined ? undefined : others.command
  if (note === undefined && command === undefined && !isOptional) return null
  return (
    <details id="more">
      <summary>More</summary>
      <p>
        {note} {command !== undefined && <code>{command}</code>}
      </p>
      {isOptional && page !== undefined && (
        <p>
          <a href={page}>{act}</a>
        </p>
      )}
    </details>
  )
}
