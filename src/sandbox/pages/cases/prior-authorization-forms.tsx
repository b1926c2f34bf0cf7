import { transferErrorCodes } from '../../../service/schemas/outcome.ts'
import { nextSteps } from '../../platform/next-steps.ts'
import { benefitsCheckRows } from '../../prior-authorization/benefits-check-states.ts'
import { verdicts } from '../../prior-authorization/pa-verdict.ts'
import type { PriorAuthorizationRecord } from '../../prior-authorization/record.ts'
import { prescriptionTransferRows } from '../../prior-authorization/transfer-states.ts'
import { Check, Choice, Field, PostForm } from '../form.tsx'
import { addressOfCase } from './addresses.ts'
import { outcomeOption } from './result-choice.tsx'
import { Steps } from './steps.tsx'

/** Takes all steps up to an outcome, by the shortest path of the table. */
export function StraightToOutcome({ id }: { id: string }) {
  return (
    <PostForm action={`${addressOfCase(id)}/end`} label="Straight to an outcome">
      <Choice name="outcome" label="Straight to an outcome" within="end" options={verdicts.map(outcomeOption)} />
      <button type="submit">Take all steps</button>
    </PostForm>
  )
}

/** Replaces the outcome during its validation. */
export function OtherOutcome({ id }: { id: string }) {
  return (
    <PostForm action={`${addressOfCase(id)}/push`} label="Another outcome during validation">
      <input type="hidden" name="status" value="validating_outcome" />
      <Choice
        name="outcome"
        label="Another outcome, still in validation"
        within="validating"
        options={verdicts.map(outcomeOption)}
      />
      <button type="submit">Change the outcome</button>
    </PostForm>
  )
}

/** Steps of a PA's transfer and benefits check, which have their own tables. */
export function PriorAuthorizationParts({ record }: { record: PriorAuthorizationRecord }) {
  const { id, transfer, benefitsCheck, resource } = record
  const address = addressOfCase(id)
  return (
    <>
      <h2>Prescription transfer</h2>
      {transfer === undefined ? (
        <p class="faint">{transferMissing(record)}</p>
      ) : (
        <>
          <p>
            State <code>{transfer.state}</code>; the resource shows{' '}
            <code>{resource.prescription_transfer?.status ?? 'none'}</code>.
          </p>
          <Steps
            action={`${address}/transfer`}
            of="transfer"
            says="Transfer to"
            field="state"
            steps={nextSteps(prescriptionTransferRows, transfer.state)}
            choicesOf={(to) =>
              to === 'error' && (
                <Choice
                  name="error_code"
                  label="Error code"
                  options={[['', 'as decided at its creation'], ...transferErrorCodes]}
                />
              )
            }
          />
        </>
      )}
      <h2>Real-time benefits check</h2>
      {benefitsCheck === undefined ? (
        <p class="faint">None: the request had no NDP submission.</p>
      ) : (
        <>
          <p>
            State <code>{benefitsCheck.state}</code>.
          </p>
          <Steps
            action={`${address}/benefits-check`}
            of="benefits-check"
            says="Check to"
            field="state"
            // It stops only with its PA.
            steps={nextSteps(benefitsCheckRows, benefitsCheck.state).filter(({ to }) => to === 'completed')}
          />
        </>
      )}
    </>
  )
}

function transferMissing({ resource, isTransferCancelled }: PriorAuthorizationRecord): string {
  if (resource.ndp_submission === null) return 'None: the request had no NDP submission.'
  if (isTransferCancelled === true) return 'Cancelled before it began.'
  return 'Begins once the PA is approved.'
}

/** Forms for messages with attachments and entries of the activity log. */
export function HistoryForms({ id }: { id: string }) {
  const address = addressOfCase(id)
  return (
    <>
      <h2>Add a message</h2>
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
      <h2>Add to the activity log</h2>
      <PostForm action={`${address}/activities`} label="Activity">
        <Choice name="type" label="Activity" options={['sent_fax', 'received_fax', 'follow_up_call']} />
        <Field name="notes" label="Call notes (optional)" />
        <button type="submit">Add the activity</button>
      </PostForm>
    </>
  )
}
