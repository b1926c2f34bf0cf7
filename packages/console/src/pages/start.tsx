import type { DraftAsked, RequestGap, ShownDraft } from 'pawl-client/schemas/request-draft'
import { Layout } from './console-layout.tsx'
import { Value } from './reveal.tsx'
import { FormToken } from './viewer.tsx'
import { addressOfResource } from './words.ts'

const kinds = [
  ['prior_authorization', 'Prior authorization'],
  ['benefit_verification', 'Benefit verification'],
] as const

/** Asks for a prescription of the chart. */
export function StartPage() {
  return (
    <Layout title="Start a request" at="/start">
      <p>
        Makes a request to the service out of a prescription of the chart, and shows it before it is sent. The audit
        trail records that you looked.
      </p>
      <form method="post" action="/start" aria-label="Read the chart" autocomplete="off">
        <FormToken />
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
      </form>
    </Layout>
  )
}

/** Shows a draft: sends it if it is complete, else asks for its gaps. */
export function DraftPage({ asked, shown }: { asked: DraftAsked; shown: ShownDraft }) {
  const { draft, stamp, startedAs } = shown
  // A gap of the whole prescription or patient is mended in the chart alone.
  const askable = draft.missing.filter(({ field }) => field.includes('.'))
  return (
    <Layout title="Start a request" at="/start">
      <p class="note warn">This is about a patient. The audit trail records that you opened it.</p>
      {startedAs !== undefined && (
        <p class="note warn">
          <a href={addressOfResource(startedAs)}>{startedAs}</a> was already started from this prescription.
        </p>
      )}
      {draft.missing.length > 0 && <Gaps title="Missing" gaps={draft.missing} />}
      {draft.leftOut.length > 0 && <Gaps title="Recommended, left out" gaps={draft.leftOut} />}
      {startedAs === undefined && askable.length === draft.missing.length && (
        <form
          method="post"
          action={draft.isComplete ? '/start/send' : '/start'}
          aria-label={draft.isComplete ? 'Send' : 'Fill the gaps'}
          autocomplete="off"
        >
          <FormToken />
          <input type="hidden" name="kind" value={asked.kind} />
          <input type="hidden" name="prescription" value={asked.prescription} />
          {draft.isComplete && <input type="hidden" name="stamp" value={stamp} />}
          {Object.entries(asked.given)
            .filter(([field]) => !askable.some((gap) => gap.field === field))
            .map(([field, value]) => (
              <input key={field} type="hidden" name={`given.${field}`} value={value} />
            ))}
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
        </form>
      )}
      <h2>The request</h2>
      <Value value={draft.request} />
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
