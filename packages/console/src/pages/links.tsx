import { ShortId } from '@pawl/base/pages/short-id'
import type { Column } from '@pawl/base/pages/table'
import { type Fault, sayFinding } from '../contract/status-verdict.ts'
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

/** A fault as a sentence, as a link to the page that helps. */
export function FaultLink({ fault }: { fault: Fault }) {
  return <a href={fault.page ?? '/'}>{sayFinding(fault, String)}</a>
}
