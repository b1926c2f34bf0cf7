import type { z } from 'zod'
import { isDisorder } from '@pawl/base/system-notes'
import type { contract } from '../contract/contract.ts'
import type { ChartRecord } from '../contract/resource-contract.ts'
import { Layout } from './console-layout.tsx'
import { PostForm } from './forms.tsx'
import { addressOfResource } from './words.ts'
import { ShortId } from '@pawl/base/pages/short-id'
import { Table } from '@pawl/base/pages/table'

/** The button that reads a resource back from the chart. */
export function VerifyForm({ id }: { id: string }) {
  return (
    <PostForm action={`${addressOfResource(id)}/verify`} label="Verify" isInline>
      <button type="submit">See what the chart shows</button>
    </PostForm>
  )
}

/** All that the chart holds of a resource, and the button that mends it. */
export function VerifiedPage({ verified }: { verified: z.output<(typeof contract.verify)['answer']> }) {
  const { id, records, unsearched } = verified
  const isMended = records.some(({ mended }) => mended !== undefined)
  const disorders = records.filter(({ is }) => isDisorder(is)).length
  return (
    <Layout title={`What the chart shows of ${id}`} at="/resources">
      <p class={disorders > 0 && !isMended ? 'note warn' : 'note'} role="status">
        {isMended
          ? 'Mended, as told below.'
          : disorders === 0
            ? 'All is as pawl wrote it.'
            : `Not in order: ${disorders}.`}{' '}
        <a href={addressOfResource(id)}>Back to the resource</a>
      </p>
      <Table
        caption="Records"
        empty="The chart holds nothing of it."
        rows={records}
        columns={[
          {
            name: 'Is',
            isBrief: true,
            show: (record) => <span class={isDisorder(record.is) ? 'bad' : ''}>{record.is}</span>,
          },
          { name: 'What', isBrief: true, show: ({ what }) => what },
          { name: 'Record', kind: 'id', show: nameOf },
          { name: 'Date', show: ({ at }) => at },
          { name: 'Status', show: ({ status }) => status },
          { name: 'Mended', show: ({ mended }) => mended },
        ]}
      />
      {unsearched.length > 0 && <p class="faint">The chart cannot be searched for {unsearched.join(', ')}.</p>}
      {disorders > 0 && !isMended && (
        <PostForm action={`${addressOfResource(id)}/verify`} label="Mend" fields={{ mend: 'yes' }}>
          <p>
            <button type="submit" class="act">
              Mend
            </button>{' '}
            Has what is missing or changed written again, remembers what was forgotten, and marks what is superfluous as
            entered in error.
          </p>
        </PostForm>
      )}
    </Layout>
  )
}

function nameOf({ type, id, link }: ChartRecord) {
  const name = `${type}/${id}`
  return link === undefined ? (
    <ShortId id={name} />
  ) : (
    <a href={link} rel="noreferrer">
      {name}
    </a>
  )
}
