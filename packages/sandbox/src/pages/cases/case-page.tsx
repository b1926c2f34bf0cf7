import type { Delivery } from '../../webhooks/delivery.ts'
import { Moment } from '@pawl/base/pages/words'
import { DeliveryTable } from '../deliveries/delivery-table.tsx'
import { Breakable } from '@pawl/base/pages/breakable'
import { Tile } from '@pawl/base/pages/tile'
import { Layout, LivePart } from '../sandbox-layout.tsx'
import { queryOf } from '@pawl/base/pages/query'
import { addressOfCase } from './addresses.ts'
import { caseKinds } from '../../cases/case-kinds.ts'
import { CaseTable, statusOf } from './case-table.tsx'
import { HistoryForms, PartTiles } from './prior-authorization-forms.tsx'
import type { CaseRecord } from '../../cases/read-cases.ts'
import { asPriorAuthorization, type CasePart, partsOf, type StoryEntry } from '../../cases/read-case-story.ts'
import { CaseSteps } from './steps.tsx'
import { Story } from './story.tsx'

interface CasePageProps {
  record: CaseRecord
  story: readonly StoryEntry[]
  /** Newest first. */
  deliveries: readonly Delivery[]
  /** Triggered BVs and outreach attempts. */
  related: readonly CaseRecord[]
  /** As GET returns it. */
  json: { text: string; stamp: string }
  /** A step that came too late: the part, and its earlier state. */
  late: { of: CasePart; was: string } | undefined
}

/** One case: status, next steps, history. */
export function CasePage({ record, story, deliveries, related, json, late }: CasePageProps) {
  const { id, kind, organization, progress } = record
  const address = addressOfCase(id)
  const priorAuthorization = asPriorAuthorization(record)
  return (
    <Layout title={id} at="/_sandbox/pages/cases" live={address}>
      {late !== undefined && <MovedOn {...late} record={record} />}
      <LivePart name="facts">
        <dl class="tiles">
          <Tile name="Status">
            <Breakable text={statusOf(record)} />
          </Tile>
          <Tile name="Kind">{caseKinds[kind].name}</Tile>
          <Tile name="Next automatic step">
            {progress.due === undefined ? (
              'none'
            ) : (
              <>
                {progress.due.to}, <Moment at={progress.due.at} />
              </>
            )}
          </Tile>
          {priorAuthorization !== undefined && <PartTiles record={priorAuthorization} />}
          <Tile name="Organization">{organization}</Tile>
        </dl>
      </LivePart>
      <LivePart name="story">
        <h2>Story</h2>
        <Story story={story} deliveries={deliveries} />
      </LivePart>
      <LivePart name="steps">
        <h2>What can come next</h2>
        <CaseSteps record={record} />
      </LivePart>
      <LivePart name="deliveries">
        <DeliveryTable
          caption="Deliveries of this case, newest first"
          deliveries={deliveries}
          isOfCase
          empty="No deliveries: no webhook receives these events, or none has happened yet."
        />
        {deliveries.length > 0 && (
          <p>
            <a id="all-deliveries" href={`/_sandbox/pages/deliveries${queryOf({ resource: id })}`}>
              All deliveries of this case
            </a>
          </p>
        )}
        {related.length > 0 && <CaseTable caption="Related cases" cases={related} />}
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

/** Says that a step came too late, and shows the case's current state. */
function MovedOn({ of, was, record }: { of: CasePart; was: string; record: CaseRecord }) {
  const state = partsOf(record)[of]?.state ?? 'none'
  return (
    <p class="note warn" role="alert">
      {of === 'case' ? 'The case' : `The ${of.replace('_', ' ')}`} moved on before your click: the page showed{' '}
      <strong>{was}</strong>, it is <strong>{state}</strong>. Your step is no longer possible and changed nothing.
    </p>
  )
}
