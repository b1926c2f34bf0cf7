import type { NewMessage } from '../controls.ts'
import type { Core } from '../core.ts'
import type { PriorAuthorizationRecord } from '../records.ts'
import type { Activity } from './resource.ts'

type Deps = Pick<Core, 'clock' | 'emit' | 'random' | 'store'>

/** Adds to the message thread and emits; the message's id. Allowed at any status, terminal ones too (specification, States). */
export function addMessage(
  { clock, emit, random, store }: Deps,
  record: PriorAuthorizationRecord,
  message: NewMessage,
) {
  const { resource, organization } = record
  const { content, direction = 'received', isResolution = false } = message
  const id = `msg_${random.fork(`${record.id}/message/${resource.message_thread.messages.length}`).letters(16)}`
  resource.message_thread.messages.push({
    id,
    timestamp: clock.iso(),
    content,
    sent_by_name: message.sentByName ?? (direction === 'received' ? 'Service Team' : 'Client Team'),
    direction,
    is_resolution: isResolution,
    attachments: [],
  })
  resource.message_thread.is_resolved = isResolution
  store.save(record)
  emit({ organization, type: 'prior_authorization.message', resource })
  return id
}

/** Adds to the activity log and emits; the entry's id. */
export function addActivity(
  { clock, emit, random, store }: Deps,
  record: PriorAuthorizationRecord,
  type: Activity['type'],
  notes?: string,
): string {
  const { resource, organization } = record
  const id = `act_${random.fork(`${record.id}/activity/${resource.activity_log.length}`).letters(16)}`
  const details: Activity['details'] =
    type === 'follow_up_call'
      ? { notes: notes ?? 'The payer was called.', recording_url: null, transcript: null }
      : { url: `https://files.sandbox.invalid/${record.id}/faxes/${id}` }
  resource.activity_log.push({ id, created_at: clock.iso(), type, details })
  store.save(record)
  emit({ organization, type: 'prior_authorization.activity_log_updated', resource })
  return id
}
