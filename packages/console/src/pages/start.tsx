import type { DraftAsked, RequestGap, ShownDraft } from 'pawl-client/schemas/request-draft'
import { Layout } from './console-layout.tsx'
import { Sections } from './reveal.tsx'
import { PostForm } from './forms.tsx'
import { ResourceLink } from './links.tsx'

const kinds = [
  ['prior_authorization', 'Prior authorization'],
  ['benefit_verification', 'Benefit verification'],
] as const

/** The form that names a prescription of the chart. */
export function StartPage() {
  return (
    <Layout title="Start a request" at="/start">
      <p>
        Drafts a request to the service from a prescription of the chart, and shows it before sending. The audit trail
        records that you looked.
      </p>
      <PostForm action="/start" label="Read the chart" isPrivate>
        <p>
          <label for="kind">Request</label>
          <select id="kind" name="kind">
            {kinds.map(([kind, name]) => (
              <option key={kind} value={kind}>
                {name}
              </option>
            ))}
          </select>
        </p>
        <p>
          <label for="prescription">Id of the MedicationRequest in the chart</label>
          <input id="prescription" name="prescription" type="text" required maxLength={64} pattern="[A-Za-z0-9.\-]+" />
        </p>
        <p>
          <button type="submit" class="act">
            Read the chart
          </button>
        </p>
      </PostForm>
    </Layout>
  )
}

/** A draft, with a form that sends it if it is complete, or else fills its gaps. */
export function DraftPage({ asked, shown }: { asked: DraftAsked; shown: ShownDraft }) {
  const { draft, stamp, startedAs } = shown
  // Only the chart can fill a gap of the whole prescription or patient.
  const askable = draft.missing.filter(({ field }) => field.includes('.'))
  const given = Object.entries(asked.given).filter(([field]) => !askable.some((gap) => gap.field === field))
  return (
    <Layout title="Start a request" at="/start">
      <p class="note warn">This is about a patient. The audit trail records that you opened it.</p>
      {startedAs !== undefined && (
        <p class="note warn">
          <ResourceLink id={startedAs} /> was already started from this prescription.
        </p>
      )}
      {draft.missing.length > 0 && <Gaps title="Missing" gaps={draft.missing} />}
      {draft.leftOut.length > 0 && <Gaps title="Recommended, left out" gaps={draft.leftOut} />}
      {startedAs === undefined && askable.length === draft.missing.length && (
        <PostForm
          action={draft.isComplete ? '/start/send' : '/start'}
          label={draft.isComplete ? 'Send' : 'Fill the gaps'}
          fields={{
            kind: asked.kind,
            prescription: asked.prescription,
            stamp: draft.isComplete ? stamp : undefined,
            ...Object.fromEntries(given.map(([field, value]) => [`given.${field}`, value])),
          }}
          isPrivate
        >
          {askable.map(({ field, from, says }) => (
            <p key={field}>
              <label for={field}>
                {field} ({from}: {says})
              </label>
              <input id={field} name={`given.${field}`} type="text" required maxLength={1_000} />
            </p>
          ))}
          <p>
            <button type="submit" class={draft.isComplete ? 'act' : undefined}>
              {draft.isComplete ? 'Send to the service' : 'Look again'}
            </button>
          </p>
        </PostForm>
      )}
      <h2>The request</h2>
      <Sections of={draft.request} />
      <p>
        <a href="/start">Another prescription</a>
      </p>
    </Layout>
  )
}

function Gaps({ title, gaps }: { title: string; gaps: readonly RequestGap[] }) {
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {gaps.map(({ field, from, says }) => (
          <li key={`${field} ${from}`}>
            <code>{field}</code>, from {from}: {says}
          </li>
        ))}
      </ul>
    </>
  )
}
