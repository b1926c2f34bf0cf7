import type { Deed } from '../contract/status-verdict.ts'
import type { WorkFilter } from '../contract/filter.ts'
import { fewFirst } from '../filtered-work.ts'
import { nameOfTarget } from '../pause-names.ts'
import { PostForm } from './forms.tsx'
import { Allowed } from './viewer.tsx'
import { countFailed } from './words.ts'

interface DeedFormProps {
  deed: Deed
  /** Text of the button, unless the deed has its own. */
  label?: string | undefined
  /** Name of the form, if several have the same button. */
  name?: string | undefined
  isMain?: boolean
}

/** The button of one act of the console. */
export function DeedForm({ deed, label, name, isMain = false }: DeedFormProps) {
  const { action, fields, words } = formOf(deed, label)
  return (
    <PostForm action={action} fields={fields} label={name ?? words} isInline>
      <button type="submit" class={isMain ? 'act' : undefined} aria-label={words}>
        {words}
      </button>
    </PostForm>
  )
}

function formOf(deed: Deed, label: string | undefined) {
  switch (deed.do) {
    case 'probe':
      return { action: '/handlers/probe', fields: { system: deed.system, from: '/' }, words: 'Try now' }
    case 'retry': {
      const { work, count, limit } = deed
      const words = limit === undefined ? (label ?? `Retry ${countFailed(count)}`) : `Retry ${limit} first`
      return { action: '/parked/retry', fields: { ...work, limit }, words }
    }
    case 'none_missing':
      return { action: '/ask/none', fields: {}, words: deed.isRest ? 'No other is missing' : 'None is missing' }
    case 'reconcile':
      return { action: '/ask/reconcile', fields: { since: deed.since }, words: label ?? 'Ask the service' }
    case 'resume': {
      const { kind, name, since, reconcile } = deed
      const words = reconcile === undefined ? 'Resume' : 'Resume all, ask the service'
      return { action: '/handlers/resume', fields: { kind, name, since, from: '/', reconcile }, words }
    }
  }
}

interface RetryFormsProps {
  filter: WorkFilter
  /** Pieces of work that match. */
  total: number
  /** The cause, if other work matches, too. */
  title?: string | undefined
  /** Whether to retry is the next step. */
  isMain: boolean
}

/** Buttons that retry the matching work: all of it, or the first pieces. */
export function RetryForms({ filter, total, title, isMain }: RetryFormsProps) {
  const all = title === undefined && total > 1 ? `all ${countFailed(total)} that match` : countFailed(total)
  const name = title === undefined ? 'Retry' : `Retry: ${title}`
  return (
    <Allowed to="operate">
      <div class="actions">
        {fewFirst(total, { do: 'retry' as const, work: filter, count: total }).map((deed, at) => (
          <DeedForm deed={deed} label={`Retry ${all}`} name={name} isMain={isMain && at === 0} />
        ))}
      </div>
    </Allowed>
  )
}

/** The button that probes a system now, on a page that lists systems. */
export function ProbeForm({ system }: { system: string }) {
  return (
    <Allowed to="operate">
      <PostForm action="/handlers/probe" label={`Try ${system}`} fields={{ system }} isInline>
        <button type="submit">Try {nameOfTarget({ kind: 'system', name: system })} now</button>
      </PostForm>
    </Allowed>
  )
}
