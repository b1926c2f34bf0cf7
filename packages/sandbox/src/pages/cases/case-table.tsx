import { ShortId } from '@pawl/base/pages/short-id'
import { Table } from '@pawl/base/pages/table'
import { Moment } from '@pawl/base/pages/words'
import { addressOfCase } from './addresses.ts'
import { caseKinds } from '../../cases/case-kinds.ts'
import { type CaseRecord, startOf } from '../../cases/read-cases.ts'
import { asPriorAuthorization } from '../../cases/read-case-story.ts'

export function CaseTable({
  caption,
  cases,
  empty,
}: {
  caption: string
  cases: readonly CaseRecord[]
  empty?: string
}) {
  return (
    <Table
      caption={caption}
      {...(empty !== undefined && { empty })}
      rows={cases}
      columns={[
        {
          name: 'Case',
          kind: 'id',
          isBrief: true,
          show: ({ id }) => <ShortId id={id} href={addressOfCase(id)} />,
        },
        { name: 'Kind', show: ({ kind }) => caseKinds[kind].name },
        { name: 'Status', isBrief: true, show: statusOf },
        { name: 'Begun', show: (record) => <Moment at={startOf(record)} /> },
        {
          name: 'Next',
          show: ({ progress: { due } }) =>
            due && (
              <>
                {due.to}, <Moment at={due.at} />
              </>
            ),
        },
        { name: 'Organization', show: ({ organization }) => organization },
      ]}
    />
  )
}

/** Status of a case, with a PA's outcome. */
export function statusOf(record: CaseRecord): string {
  const { outcome } = asPriorAuthorization(record)?.resource ?? {}
  const { state } = record.progress
  if (outcome === undefined || outcome.result === 'Pending') return state
  return `${state}: ${outcome.result}${outcome.detail_code === null ? '' : `, ${outcome.detail_code}`}`
}
