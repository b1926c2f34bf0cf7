import type { Core } from '../core.ts'
import type { PriorAuthorizationRecord } from './record.ts'
import type { Activity } from './resource.ts'

export interface NewMessage {
  content: string
  /** `sent` by the client's team (default: `received`, from the service's team). */
  direction?: 'sent' | 'received'
  sentByName?: string
  /** Marks the thread as resolved. */
  isResolution?: boolean
}

export interface NewActivity {
  type: Activity['type']
  /** Of a `follow_up_call`. */
  notes?: string
}

/** What a change of a PA's history is stored and emitted with. */
export interface HistoryDeps extends Pick<Core, 'clock' | 'emit' | 'random'> {
  save: (record: PriorAuthorizationRecord) => void
}

/** Adds to the message thread, emits, and returns the message's id. Allowed at any status, terminal ones included (specification, States). */
export function addMessage(
  { clock, emit, random, save }: HistoryDeps,
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
  save(record)
  emit({ organization, type: 'prior_authorization.message', resource })
  return id
}

/** Adds to the activity log, emits, and returns the entry's id. */
export function addActivity(
  { clock, emit, random, save }: HistoryDeps,
  record: PriorAuthorizationRecord,
  { type, notes }: NewActivity,
): string {
  const { resource, organization } = record
  const id = `act_${random.fork(`${record.id}/activity/${resource.activity_log.length}`).letters(16)}`
  const entry = { id, created_at: clock.iso() }
  resource.activity_log.push(
    type === 'follow_up_call'
      ? { ...entry, type, details: { notes: notes ?? 'The payer was called.', recording_url: null, transcript: null } }
      : { ...entry, type, details: { url: `https://files.sandbox.invalid/${record.id}/faxes/${id}` } },
  )
  save(record)
  emit({ organization, type: 'prior_authorization.activity_log_updated', resource })
  return id
}
