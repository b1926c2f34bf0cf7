import type { Revealed } from '@pawl/ledger/audit/reveal'
import { maxReason, minReason } from '../contract/reason.ts'
import { Layout } from './console-layout.tsx'
import { PostForm } from './forms.tsx'
import { addressOfResource } from './words.ts'
import { Moment } from '@pawl/base/pages/words'

/** The form with the reason to see a stored snapshot, or the envelope of an event. */
export function RevealForm({ id, event }: { id: string; event?: number }) {
  return (
    <PostForm action={`${addressOfResource(id)}/reveal`} label="Show the content" fields={{ event }} isPrivate>
      <p>
        <label for="reason">Why it must be seen; kept in the audit trail, so name no patient</label>
        <textarea id="reason" name="reason" required minLength={minReason} maxLength={maxReason} rows={2} />
      </p>
      <p>
        <button type="submit">Show the content</button>
      </p>
    </PostForm>
  )
}

/** The last snapshot of a resource, or an event's envelope, shown once to the person who asked. */
export function RevealedPage({ revealed }: { revealed: Revealed }) {
  const { id, readAt, snapshot } = revealed
  return (
    <Layout title={`Content of ${id}`} at="/resources">
      <p class="note warn">This is about a patient. The audit trail records that you opened it, and why.</p>
      <p>
        As of <Moment at={readAt} />. <a href={addressOfResource(id)}>Back to the resource</a>
      </p>
      <Sections of={snapshot} />
    </Layout>
  )
}

/** A document in sections, one for each field that holds others; the first has the rest. */
export function Sections({ of: document }: { of: unknown }) {
  const fields = Object.entries(document ?? {})
  const isSection = ([, value]: [string, unknown]) => typeof value === 'object' && value !== null
  const plain = Object.fromEntries(fields.filter((field) => !isSection(field)))
  return (
    <div class="sections">
      {Object.keys(plain).length > 0 && (
        <section aria-label="Itself">
          <Value value={plain} />
        </section>
      )}
      {fields.filter(isSection).map(([name, value]) => (
        <section key={name} aria-label={inWords(name)}>
          <h2 title={name}>{inWords(name)}</h2>
          <Value value={value} />
        </section>
      ))}
    </div>
  )
}

/** The name of a field for people, such as `Last name`. */
function inWords(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`
}

/** A value of any form, as nested lists. */
function Value({ value }: { value: unknown }) {
  if (value === null || value === undefined || value === '') return <span class="faint">–</span>
  if (Array.isArray(value)) {
    if (value.length === 0) return <span class="faint">–</span>
    return (
      <ol>
        {value.map((each: unknown, index) => (
          <li key={index}>
            <Value value={each} />
          </li>
        ))}
      </ol>
    )
  }
  if (typeof value !== 'object') return <span>{typeof value === 'string' ? value : JSON.stringify(value)}</span>
  return (
    <dl class="fields">
      {Object.entries(value).map(([name, each]: [string, unknown]) => (
        <div key={name}>
          <dt title={name}>{inWords(name)}</dt>
          <dd>
            <Value value={each} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
