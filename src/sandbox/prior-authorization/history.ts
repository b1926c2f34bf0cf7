import type { Platform } from '../platform.ts'
import { pathOfFile } from '../files/held-file.ts'
import type { PriorAuthorizationRecord } from './record.ts'
import type { Activity } from './resource.ts'

export interface NewMessage {
  content: string
  /** `sent` by the client's team (default: `received`, from the service's team). */
  direction?: 'sent' | 'received'
  sentByName?: string
  /** Marks the thread as resolved. */
  isResolution?: boolean
  attachments?: readonly NewAttachment[]
}

/** A file that a message brings along. */
export interface NewAttachment {
  fileName: string
  /** Default: `image/png` for a name that ends in `.png`, else `application/pdf`. */
  contentType?: string | undefined
}

export interface NewActivity {
  type: Activity['type']
  /** Of a `follow_up_call`, like what follows. */
  notes?: string
  recordingUrl?: string
  transcript?: string
}

/** What a change of a PA's history is stored and emitted with. */
export interface HistoryDeps extends Pick<Platform, 'clock' | 'emit' | 'random'> {
  save: (record: PriorAuthorizationRecord) => void
}

/** Adds to the message thread, emits, and returns the message's id. Allowed at any status, terminal ones included (specification, States). */
export function addMessage(
  { clock, emit, random, save }: HistoryDeps,
  record: PriorAuthorizationRecord,
  message: NewMessage,
) {
  const { resource, organization } = record
  const { content, direction = 'received', isResolution = false, attachments = [] } = message
  const id = `msg_${random.fork(`${record.id}/message/${resource.message_thread.messages.length}`).letters(16)}`
  resource.message_thread.messages.push({
    id,
    timestamp: clock.iso(),
    content,
    sent_by_name: message.sentByName ?? (direction === 'received' ? 'Service Team' : 'Client Team'),
    direction,
    is_resolution: isResolution,
    attachments: attachments.map(({ fileName, contentType }, index) => {
      const key = `att_${random.fork(`${id}/attachment/${index}`).letters(16)}`
      const url = pathOfFile({ resourceId: record.id, kind: 'attachments', key, name: fileName, contentType })
      return { id: key, file_name: fileName, url }
    }),
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
  { type, notes, recordingUrl, transcript }: NewActivity,
): string {
  const { resource, organization } = record
  const id = `act_${random.fork(`${record.id}/activity/${resource.activity_log.length}`).letters(16)}`
  const entry = { id, created_at: clock.iso() }
  const recording = pathOfFile({ resourceId: record.id, kind: 'recordings', name: `${id}.wav` })
  resource.activity_log.push(
    type === 'follow_up_call'
      ? {
          ...entry,
          type,
          details: {
            notes: notes ?? 'The payer was called.',
            recording_url: recordingUrl ?? recording,
            transcript: transcript ?? null,
          },
        }
      : { ...entry, type, details: { url: pathOfFile({ resourceId: record.id, kind: 'faxes', name: `${id}.pdf` }) } },
  )
  save(record)
  emit({ organization, type: 'prior_authorization.activity_log_updated', resource })
  return id
}
