import { ShortId } from '@pawl/base/pages/short-id'
import { Clock } from '@pawl/base/pages/words'
import type { Column } from '@pawl/base/pages/table'
import type { Finding } from '../contract/status-verdict.ts'
import { addressOfResource } from './words.ts'

/** The id of a resource, as a link to its page. */
export function ResourceLink({ id }: { id: string }) {
  return <ShortId id={id} href={addressOfResource(id)} />
}

/** The column with the resource of each row. */
export const resourceColumn: Column<{ resourceId: string }> = {
  name: 'Resource',
  kind: 'id',
  show: ({ resourceId }) => <ResourceLink id={resourceId} />,
}

/** The fault, its start and its reason. */
export function Beginning({ of: { title, since, why } }: { of: Finding }) {
  return (
    <>
      {title}
      {since !== undefined && (
        <>
          {' since '}
          <Clock at={since} />
        </>
      )}
      {why !== undefined && ` (${why})`}.
    </>
  )
}

/** A fault as a sentence, as a link to the page that helps. */
export function FaultLink({ fault }: { fault: Finding }) {
  return (
    <a href={fault.page ?? '/'}>
      <Beginning of={fault} /> {fault.effect}
    </a>
  )
}
