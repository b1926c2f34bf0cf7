import { Table } from '@pawl/base/pages/table'
import { count, Moment } from '@pawl/base/pages/words'
import type { SnapshotEntry } from '../../snapshots/create-snapshots.ts'
import { ButtonForm, Check, Field, PostForm } from '../form.tsx'
import { Layout } from '../sandbox-layout.tsx'

export const snapshotsAddress = '/_sandbox/pages/snapshots'

/** The snapshots, with forms that save, load and remove one. `done` says what the last form did. */
export function SnapshotsPage({ snapshots, done }: { snapshots: readonly SnapshotEntry[]; done?: string | undefined }) {
  return (
    <Layout title="Snapshots" at={snapshotsAddress}>
      {done !== undefined && (
        <p class="note" role="status">
          {done}
        </p>
      )}
      <p>
        A snapshot holds the whole state: cases, the schedule, the clock, deliveries, organizations with their webhooks,
        planned failures, quotas used, chaos, and the seed with all draws made. Loading one puts all of it back; only
        the request log stays.
      </p>
      <PostForm action={snapshotsAddress} label="Save a snapshot">
        <Field name="name" label="Name" isRequired />
        <Check name="replace" label="Replace one of this name" isOn={false} />
        <button type="submit" class="act">
          Save
        </button>
      </PostForm>
      <Table
        caption="Snapshots"
        empty="No snapshots yet."
        rows={snapshots}
        columns={[
          { name: 'Name', kind: 'id', show: ({ name }) => name },
          { name: 'Saved', show: ({ savedAt }) => <Moment at={savedAt} /> },
          { name: 'Sandbox time', show: ({ now }) => <Moment at={now} /> },
          { name: 'Cases', kind: 'number', show: ({ cases }) => count(cases) },
          {
            name: 'Actions',
            show: ({ name }) => (
              <div class="actions">
                <ButtonForm action={`${snapshotsAddress}/load`} fields={{ name }} label={`Load ${name}`}>
                  Load
                </ButtonForm>
                <ButtonForm action={`${snapshotsAddress}/remove`} fields={{ name }} label={`Remove ${name}`} tone="bad">
                  Remove
                </ButtonForm>
              </div>
            ),
          },
        ]}
      />
    </Layout>
  )
}
