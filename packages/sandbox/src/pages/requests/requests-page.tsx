import { Select } from '@pawl/base/pages/select'
import { Table } from '@pawl/base/pages/table'
import { duration, Moment } from '@pawl/base/pages/words'
import { type LoggedRequest, type RequestFilter, statusClasses } from '../../requests/request-log.ts'
import { Field } from '../form.tsx'
import { Layout, LivePart } from '../sandbox-layout.tsx'
import { OlderLink } from '@pawl/base/pages/older-link'

/** Path of the request log. */
export const requestsAddress = '/_sandbox/pages/requests'

/** Path of a request's page. */
function addressOfRequest(id: number): string {
  return `${requestsAddress}/${id}`
}

interface RequestsPageProps {
  filter: RequestFilter
  requests: readonly LoggedRequest[]
  /** Path of the next page. */
  next: string | undefined
  /** Path of this page. */
  address: string
}

/** The request log, newest first. */
export function RequestsPage({ filter, requests, next, address }: RequestsPageProps) {
  return (
    <Layout title="Requests" at={requestsAddress} live={address}>
      <form method="get" action={requestsAddress} class="filter" aria-label="Filter">
        <Select name="status" label="Status" value={filter.status} options={statusClasses} />
        <Select
          name="method"
          label="Method"
          value={filter.method}
          options={['GET', 'POST', 'PUT', 'PATCH', 'DELETE']}
        />
        <Field name="path" label="Path contains" value={filter.path} />
        <Field name="code" label="Error code" value={filter.code} />
        <Field name="organization" label="Organization" value={filter.organization} />
        <button type="submit">Filter</button>
      </form>
      <LivePart name="requests">
        <Table
          caption="Requests, newest first"
          rows={requests}
          empty="No requests match. Reads of controls, pages and documents are left out."
          columns={[
            { name: 'Status', isBrief: true, show: (request) => <Answered {...request} /> },
            {
              name: 'Request',
              kind: 'id',
              isBrief: true,
              show: ({ id, method, path }) => (
                <a id={`request-${id}`} href={addressOfRequest(id)}>
                  {method} {path}
                </a>
              ),
            },
            { name: 'Organization', show: ({ organization }) => organization },
            { name: 'Took', kind: 'number', show: ({ durationMs }) => duration(durationMs) },
            { name: 'At (wall clock)', show: ({ at }) => <Moment at={at} /> },
          ]}
        />
        <OlderLink href={next} />
      </LivePart>
    </Layout>
  )
}

/** Status of an answer, with its error code. */
export function Answered({ status, code }: Pick<LoggedRequest, 'status' | 'code'>) {
  const looks = status === undefined || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'
  return (
    <>
      <strong class={looks}>{status ?? 'no answer'}</strong>
      {code !== undefined && (
        <>
          {' '}
          <code>{code}</code>
        </>
      )}
    </>
  )
}
