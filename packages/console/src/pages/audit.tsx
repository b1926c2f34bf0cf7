import { auditActions, type AuditDetails, type AuditRecord } from '@pawl/ledger/audit/audit-entry'
import type { AuditVerdict } from '@pawl/ledger/audit/verify-audit'
import { queryOf } from '@pawl/base/pages/query'
import type { AuditQuery } from '../audit-query.ts'
import { Layout } from './console-layout.tsx'
import { FilterForm, PostForm, ReasonInput } from './forms.tsx'
import { ResourceLink } from './links.tsx'
import { OlderLink } from '@pawl/base/pages/older-link'
import { Select } from '@pawl/base/pages/select'
import { Table } from '@pawl/base/pages/table'
import { TextFilter } from '@pawl/base/pages/text-filter'
import { count, Moment, plural } from '@pawl/base/pages/words'

interface AuditPageProps {
  query: AuditQuery
  /** The row of the last break, unless it is acknowledged. */
  openBreak: number | undefined
  entries: readonly AuditRecord[]
  /** The address of older entries. */
  next: string | undefined
}

/** Entries of the audit trail, the newest first. */
export function AuditPage({ query, openBreak, entries, next }: AuditPageProps) {
  return (
    <Layout title="Audit trail" at="/audit">
      {openBreak !== undefined && <Acknowledge row={openBreak} />}
      <FilterForm action="/audit">
        <TextFilter name="actor" label="Who" value={query.actor} />
        <Select name="action" label="What" value={query.action} options={auditActions} />
        <TextFilter name="resource" label="Resource" value={query.resource} />
        <div>
          <label for="filter-from">From this day</label>
          <input id="filter-from" name="from" type="date" value={query.from} />
        </div>
        <div>
          <label for="filter-to">To this day</label>
          <input id="filter-to" name="to" type="date" value={query.to} />
        </div>
      </FilterForm>
      <div class="bar">
        <PostForm action="/audit/verify" label="Verify" isInline>
          <button type="submit">Verify the trail</button>
        </PostForm>
        <p>
          Export what matches: <a href={`/audit/export${queryOf({ ...query, format: 'jsonl' })}`}>JSON lines</a>,{' '}
          <a href={`/audit/export${queryOf({ ...query, format: 'fhir' })}`}>FHIR AuditEvent</a>
        </p>
      </div>
      <Table
        caption="The newest first"
        empty="No entry matches."
        rows={entries}
        columns={[
          { name: 'Entry', kind: 'number', show: ({ id }) => id },
          { name: 'When', isBrief: true, show: ({ at }) => <Moment at={at} /> },
          {
            name: 'Who',
            kind: 'id',
            show: ({ actor: { name, auth, account } }) => (
              <>
                <a href={`/audit${queryOf({ actor: name })}`}>{name}</a>
                {auth !== undefined && <div class="faint">{knownBy[auth]}</div>}
                {account !== undefined && <div class="faint">{account.subject}</div>}
              </>
            ),
          },
          { name: 'What', isBrief: true, show: ({ action }) => <a href={`/audit${queryOf({ action })}`}>{action}</a> },
          {
            name: 'Resource',
            kind: 'id',
            show: ({ resourceId }) => resourceId && <ResourceLink id={resourceId} />,
          },
          { name: 'Why', kind: 'wide', show: ({ reason }) => reason },
          { name: 'Details', kind: 'wide', show: (entry) => <Details of={entry} /> },
        ]}
      />
      <OlderLink href={next} />
    </Layout>
  )
}

/** Form that acknowledges the last break. */
function Acknowledge({ row }: { row: number }) {
  return (
    <section class="cause bad" aria-label="Break of the trail">
      <h2>The trail was altered</h2>
      <p>
        Row {row} records it. Verify the trail: which rows, and who can write to the ledger? Once that is known,
        acknowledge it. The reason becomes an entry; the alert ends, until another break. The trail itself shows the
        break for good.
      </p>
      <PostForm action="/audit/acknowledge" label="Acknowledge the break" fields={{ row }}>
        <div class="actions">
          <ReasonInput placeholder="Why; nothing about a patient" aria-label="Why acknowledge" />
          <button type="submit">Acknowledge</button>
        </div>
      </PostForm>
    </section>
  )
}

const knownBy = {
  password: 'own password',
  shared_password: 'shared password',
  oidc: 'identity provider',
  proxy: 'proxy',
} as const

/** Longer lists are folded. */
const maxItems = 8

function Details({ of: { handler, details } }: { of: AuditRecord }) {
  const all: AuditDetails = { ...(handler !== undefined && { handler }), ...details }
  return (
    <>
      {Object.entries(all).map(([name, value]) => {
        const items = String(value).split(',')
        // A list may break between its items.
        const list = items.join(', ')
        if (items.length <= maxItems) return `${name}=${list} `
        return (
          <details key={name}>
            <summary>
              {name} ({count(items.length)})
            </summary>
            {list}
          </details>
        )
      })}
    </>
  )
}

/** The result of verifying the trail. */
export function VerificationPage({ verdict }: { verdict: AuditVerdict }) {
  const { rows, signed, signedSince, unknownKeys, head, faults } = verdict
  return (
    <Layout title={faults.length === 0 ? 'The trail is unbroken' : 'The trail is broken'} at="/audit">
      {faults.length === 0 ? (
        <p class="note" role="status">
          {count(rows)} {plural(rows, 'entry', 'entries')}, unbroken.
        </p>
      ) : (
        <p class="note bad" role="alert">
          The trail was tampered with. Export it and note the head below elsewhere, then find out who could write to the
          ledger.
        </p>
      )}
      <p>
        {signedSince === undefined
          ? 'Not signed: anyone who can write to the ledger could have recomputed it.'
          : `Signed since entry ${signedSince.id}: ${count(signed)} of them${unknownKeys > 0 ? `, ${count(unknownKeys)} more with keys that SEALING_KEYS does not list` : ''}.`}
      </p>
      <Table
        caption="Broken entries"
        rows={faults}
        columns={[
          { name: 'Entry', kind: 'number', show: ({ id }) => id },
          { name: 'Says', kind: 'wide', show: ({ says }) => says },
        ]}
      />
      <p>
        Head, to be noted elsewhere: <code>{`${head.id}:${head.hash}`}</code>
      </p>
      <p>
        <a href="/audit">Back to the trail</a>
      </p>
    </Layout>
  )
}
