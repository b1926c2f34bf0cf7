import { count, duration, plural, When } from '@pawl/base/pages/words'
import { keepsBytes, sayNothingFound, staysElsewhere, staysInLedger } from '../contract/erase-patient.ts'
import type { ErasureJob } from '../erasure-jobs.ts'
import { nameOfTarget } from '../pause-names.ts'
import { erasureSection } from '../faults/catalogue.ts'
import { Layout } from './console-layout.tsx'
import { PostForm, ReasonInput, refreshing } from './forms.tsx'
import { ResourceLink } from './links.tsx'

/** The form that names a patient to erase, and a reason. */
export function ErasePage() {
  return (
    <Layout title="Erase a patient" at="/erase">
      <p>
        Phone the service first: it has to stop sending this patient, and delete its data.{' '}
        <a href={`/runbook#${erasureSection}`}>How</a>
      </p>
      <PostForm action="/erase" label="Erase a patient" isPrivate>
        <p>
          <label for="internal_id">The patient's number (internal_id)</label>
          <input id="internal_id" name="internal_id" type="text" required maxLength={200} spellcheck={false} />
        </p>
        <p>
          <label for="reason">Why; nothing about a patient</label>
          <ReasonInput id="reason" value="Request of the patient" />
        </p>
        <button type="submit" class="act">
          Look, erase nothing yet
        </button>
      </PostForm>
    </Layout>
  )
}

/** The data found and the result of its erasure; updates itself while the job runs. */
export function EraseJobPage({ job }: { job: ErasureJob }) {
  const { id, state, looked } = job
  const address = `/erase/jobs/${id}`
  const isRunning = state === 'looking' || state === 'erasing'
  return (
    <Layout title="Erase a patient" at="/erase">
      <div {...(isRunning ? refreshing('erasure', address, 'load delay:500ms') : { id: 'erasure' })}>
        <p role="status" class={state === 'failed' ? 'note bad' : undefined}>
          {say(job)}
        </p>
        {state === 'looking' && (
          <progress aria-label="Looked through" max={Math.max(1, looked.total)} value={looked.done} />
        )}
        {(state === 'found' || state === 'erasing') && <Found of={job} />}
        {!isRunning && (
          <PostForm action={address} label="Erase">
            <div class="actions">
              {state === 'found' && sizeOf(job) > 0 && (
                <button type="submit" class="bad" name="do" value="erase">
                  Erase for good
                </button>
              )}
              <button type="submit" name="do" value="look">
                Look again
              </button>
            </div>
          </PostForm>
        )}
        <Stays of={job} />
      </div>
      <p>
        <a href="/erase">Another patient</a>
      </p>
    </Layout>
  )
}

const sizeOf = ({ found: { resources, events } }: ErasureJob) => resources.length + events.length

function say(job: ErasureJob) {
  const { state, looked, found, lookedAt, outcome, error } = job
  if (state === 'looking')
    return `Looking through the ledger${looked.total === 0 ? '' : `: ${count(looked.done)} of ${count(looked.total)}`}.`
  if (state === 'erasing') return 'Erasing, and looking again…'
  if (state === 'failed')
    return `Stopped by a failure; look again. (${error?.code ?? 'unexpected'}: ${error?.message ?? ''})`
  if (sizeOf(job) > 0)
    return outcome === undefined
      ? 'Found, and nothing erased yet:'
      : 'Erased, and some is there again: the service has not stopped sending.'
  if (outcome !== undefined)
    return (
      <>
        Erased. Looked <When at={lookedAt} />: the ledger holds nothing more of this patient.
      </>
    )
  return sayNothingFound(found, duration)
}

function Found({ of: { found } }: { of: ErasureJob }) {
  const { resources, events } = found
  if (resources.length + events.length === 0) return null
  return (
    <ul>
      {resources.map(({ id, kind }) => (
        <li key={id}>
          <ResourceLink id={id} /> {kind}
        </li>
      ))}
      {events.length > 0 && (
        <li>
          {count(events.length)} {plural(events.length, 'delivery', 'deliveries')} about no resource
        </li>
      )}
    </ul>
  )
}

/** Data that pawl cannot delete, as tasks for a person. */
function Stays({ of: { outcome } }: { of: ErasureJob }) {
  if (outcome === undefined) return null
  const { written, isWiped, removed, dropped } = outcome
  const counts = Object.entries({ ...removed, 'pending work': dropped }).filter(([, size]) => size > 0)
  return (
    <>
      <h2>Left to do</h2>
      <ul>
        {Object.entries(written).map(([system, ids]) => (
          <li key={system}>
            {nameOfTarget({ kind: 'system', name: system })}: have its people delete {count(ids.length)}.{' '}
            <button type="button" class="act" data-copy={`left-${system}`} hidden>
              Copy ids
            </button>{' '}
            <span role="status" id={`left-${system}-copied`}></span>
            <details>
              <summary>Shown only here</summary>
              <pre id={`left-${system}`}>{ids.join('\n')}</pre>
            </details>
          </li>
        ))}
        <li>Backups {staysElsewhere.backups}.</li>
        {!isWiped && <li>Files: {keepsBytes}</li>}
      </ul>
      <p class="faint">
        Removed: {counts.length === 0 ? 'nothing' : counts.map(([what, size]) => `${what} ${size}`).join(', ')}.
      </p>
      <p class="faint">{staysInLedger}</p>
    </>
  )
}
