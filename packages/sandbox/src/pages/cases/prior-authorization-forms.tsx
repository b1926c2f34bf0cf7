import type { PriorAuthorizationRecord } from '../../prior-authorization/record.ts'
import { transferMissing } from '../../prior-authorization/transfer.ts'
import { Check, Choice, Field, PostForm } from '../form.tsx'
import { Tile } from '@pawl/base/pages/tile'
import { addressOfCase } from './addresses.ts'

/** Tiles of a PA's transfer and benefits check. */
export function PartTiles({ record }: { record: PriorAuthorizationRecord }) {
  const { transfer, benefitsCheck, resource } = record
  return (
    <>
      <Tile name="Transfer">
        {transfer === undefined
          ? transferMissing(record)
          : `${transfer.state}, shown as ${resource.prescription_transfer?.status ?? 'none'}`}
      </Tile>
      <Tile name="Benefits check">{benefitsCheck?.state ?? 'none'}</Tile>
    </>
  )
}

/** Forms for messages with attachments and entries of the activity log. */
export function HistoryForms({ id }: { id: string }) {
  const address = addressOfCase(id)
  return (
    <>
      <details id="add-message">
        <summary>Add a message</summary>
        <PostForm action={`${address}/messages`} label="Message" class="stack">
          <div class="full">
            <label for="content">Content</label>
            <textarea id="content" name="content" rows={3} required></textarea>
          </div>
          <Choice
            name="direction"
            label="Direction"
            options={[
              ['received', 'received, from the service’s team'],
              ['sent', 'sent, by the client’s team'],
            ]}
          />
          <Field name="sent_by_name" label="Sent by (optional)" />
          <Field name="attachment" label="Name of an attached file (optional)" />
          <Check name="is_resolution" label="Resolves the thread" isOn={false} />
          <button type="submit">Add the message</button>
        </PostForm>
      </details>
      <details id="add-activity">
        <summary>Add to the activity log</summary>
        <PostForm action={`${address}/activities`} label="Activity">
          <Choice name="type" label="Activity" options={['sent_fax', 'received_fax', 'follow_up_call']} />
          <Field name="notes" label="Call notes (optional)" />
          <button type="submit">Add the activity</button>
        </PostForm>
      </details>
    </>
  )
}
