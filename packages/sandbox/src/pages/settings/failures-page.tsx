import { Table } from '@pawl/base/pages/table'
import { count } from '@pawl/base/pages/words'
import type { ForcedFailure } from '../../access/forced-failures.ts'
import { commonErrors, nameOf, type Operation, operations } from '../../platform/operations.ts'
import { ButtonForm, Choice, Field, PostForm } from '../form.tsx'
import { Layout, LivePart } from '../sandbox-layout.tsx'

/** Path of the failures page. */
export const failuresAddress = '/_sandbox/pages/failures'

/** Planned failures of an organization. */
export interface OrganizationFailures {
  id: string
  failures: readonly ForcedFailure[]
}

interface FailuresPageProps {
  organizations: readonly OrganizationFailures[]
  /** Endpoint chosen in the form. */
  operation: Operation
}

/** Planned failures, and a form to add one. */
export function FailuresPage({ organizations, operation: chosen }: FailuresPageProps) {
  const all = organizations.flatMap(({ id, failures }) => failures.map((failure) => ({ id, ...failure })))
  return (
    <Layout title="Planned failures" at={failuresAddress} live={failuresAddress}>
      <p>Makes the next calls of an endpoint fail with one of its documented errors.</p>
      <LivePart name="failures">
        <Table
          caption="Planned failures, in order within each endpoint"
          empty="No planned failures."
          rows={all}
          columns={[
            { name: 'Organization', show: ({ id }) => id },
            { name: 'Endpoint', show: ({ operation }) => <code>{operation}</code> },
            { name: 'Code', show: ({ code }) => code },
            { name: 'Calls', kind: 'number', show: ({ times = 1 }) => count(times) },
            { name: 'Retry-After', kind: 'number', show: ({ retryAfterSeconds }) => retryAfterSeconds },
            {
              name: 'Clear',
              show: ({ id, operation }) => (
                <ButtonForm
                  action={`${failuresAddress}/clear`}
                  fields={{ organization: id, operation }}
                  label={`Clear failures of ${operation} of ${id}`}
                >
                  Clear
                </ButtonForm>
              ),
            },
          ]}
        />
        {all.length > 0 && <ButtonForm action={`${failuresAddress}/clear`}>Clear all</ButtonForm>}
      </LivePart>
      <h2>Plan one</h2>
      <form method="get" action={failuresAddress} class="filter" aria-label="Choose an endpoint">
        <Choice name="operation" label="Endpoint" options={operations.map(nameOf)} value={nameOf(chosen)} />
        <button type="submit">Show errors</button>
      </form>
      <PostForm action={failuresAddress} label="Plan a failure" class="stack">
        <input type="hidden" name="operation" value={nameOf(chosen)} />
        <Choice name="code" label={`Error of ${nameOf(chosen)}`} options={codesOf(chosen)} />
        <Field name="times" label="Calls that fail" type="number" min={1} value={1} isRequired />
        <Field name="retry_after" label="Retry-After in seconds (optional)" type="number" min={1} />
        {organizations.length > 1 ? (
          <Choice name="organization" label="Organization" options={organizations.map(({ id }) => id)} />
        ) : (
          <input type="hidden" name="organization" value={organizations[0]?.id} />
        )}
        <button type="submit" class="act">
          Add failure
        </button>
      </PostForm>
    </Layout>
  )
}

const codesOf = ({ errors }: Operation) => [...errors, ...commonErrors, 'rate_limit_exceeded']
