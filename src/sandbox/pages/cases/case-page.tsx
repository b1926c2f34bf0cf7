import type { Delivery } from '../../webhooks/delivery.ts'
import { Moment } from '../../../base/pages/words.tsx'
import { nextSteps } from '../../platform/next-steps.ts'
import { isTerminal } from '../../prior-authorization/states.ts'
import { DeliveryTable } from '../deliveries/delivery-table.tsx'
import { ButtonForm, Tile } from '../form.tsx'
import { Layout, LivePart } from '../sandbox-layout.tsx'
import { queryOf } from '../read-form.ts'
import { addressOfCase } from './addresses.ts'
import { caseKinds } from './case-kinds.ts'
import { CaseTable, statusOf } from './case-table.tsx'
import { HistoryForms, OtherOutcome, PriorAuthorizationParts, StraightToOutcome } from './prior-authorization-forms.tsx'
import { type CaseRecord, startOf } from './read-cases.ts'
import { asPriorAuthorization, ruleAgainstCase, type StoryEntry } from './read-case-story.ts'
import { ResultChoice } from './result-choice.tsx'
import { Steps } from './steps.tsx'

interface CasePageProps {
  record: CaseRecord
  story: readonly StoryEntry[]
  /** Newest first. */
  deliveries: readonly Delivery[]
  /** Triggered BVs and outreach attempts. */
  related: readonly CaseRecord[]
  /** As GET returns it. */
  json: { text: string; stamp: string }
}

/** One case: status, next steps, history. */
export function CasePage({ record, story, deliveries, related, json }: CasePageProps) {
  const { id, kind, organization, progress } = record
  const address = addressOfCase(id)
  const priorAuthorization = asPriorAuthorization(record)
  return (
    <Layout title={id} at="/_sandbox/pages/cases" live={address}>
      <LivePart name="facts">
        <dl class="tiles">
          <Tile name="Kind">{caseKinds[kind].name}</Tile>
          <Tile name="Status">{statusOf(record)}</Tile>
          <Tile name="Begun">
            <Moment at={startOf(record)} />
          </Tile>
          <Tile name="Next automatic step">
            {progress.due === undefined ? (
              'none'
            ) : (
              <>
                {progress.due.to}, <Moment at={progress.due.at} />
              </>
            )}
          </Tile>
          <Tile name="Organization">{organization}</Tile>
        </dl>
      </LivePart>
      <LivePart name="steps">
        <h2>Next steps</h2>
        {priorAuthorization !== undefined && progress.state === 'awaiting_review' && (
          <ButtonForm action={`${address}/review`} isMain>
            Review: submit to the payer
          </ButtonForm>
        )}
        <Steps
          action={`${address}/push`}
          of="status"
          says="To"
          field="status"
          steps={nextSteps(caseKinds[kind].rows, progress.state, (row) => ruleAgainstCase(record, row))}
          choicesOf={(to) => <ResultChoice kind={kind} status={to} />}
        />
        {priorAuthorization !== undefined && !isTerminal(priorAuthorization.progress.state) && (
          <StraightToOutcome id={id} />
        )}
        {priorAuthorization !== undefined && progress.state === 'validating_outcome' && <OtherOutcome id={id} />}
        {priorAuthorization !== undefined && <PriorAuthorizationParts record={priorAuthorization} />}
      </LivePart>
      <LivePart name="story">
        <h2>History</h2>
        <ol class="story">
          {story.map((entry, index) => (
            <li key={index} class={entry.kind === 'status' ? 'succeeded' : ''}>
              <Moment at={entry.at} /> <Entry entry={entry} />
            </li>
          ))}
        </ol>
        <h2>Deliveries</h2>
        <DeliveryTable
          caption="Deliveries of this case, newest first"
          deliveries={deliveries}
          empty="No deliveries: no webhook receives these events, or none has happened yet."
        />
        {deliveries.length > 0 && (
          <p>
            <a id="all-deliveries" href={`/_sandbox/pages/deliveries${queryOf({ resource: id })}`}>
              All deliveries of this case
            </a>
          </p>
        )}
        {related.length > 0 && <CaseTable caption="Related cases" cases={related} empty="" />}
      </LivePart>
      <LivePart name="json" stamp={json.stamp}>
        <details id="as-json">
          <summary>As GET returns it</summary>
          <pre class="tall" tabIndex={0}>
            <code>{json.text}</code>
          </pre>
        </details>
      </LivePart>
      {priorAuthorization !== undefined && <HistoryForms id={id} />}
    </Layout>
  )
}

function Entry({ entry }: { entry: StoryEntry }) {
  if (entry.kind === 'event')
    return (
      <span>
        emitted <code>{entry.type}</code>
      </span>
    )
  const { of, state } = entry
  return (
    <span>
      {of === 'case' ? 'it' : `its ${of}`} became <strong>{state}</strong>
    </span>
  )
}
