import type { Platform } from '../platform.ts'
import { pathOfFile } from '../files/served-file.ts'
import type { PriorAuthorizationRecord } from './record.ts'
import type { ShownActivity } from 'pawl-client/schemas/prior-authorization'

export interface NewMessage {
  content: string
  /** `sent` by the client's team (default: `received`, from the service's team). */
  direction?: 'sent' | 'received'
  sentByName?: string
  /** Marks the thread as resolved. */
  isResolution?: boolean
  attachments?: readonly NewAttachment[]
}

/** A file attached to a message or a fax. */
export interface NewAttachment {
  fileName: string
  /** Default: by the extension of the name, else `application/pdf`. */
  contentType?: string | undefined
  /** Base64. Default: invented content that names the file. */
  fileContent?: string | undefined
}

export interface NewActivity {
  type: ShownActivity['type']
  /** Set for a `follow_up_call`, like the next fields. */
  notes?: string
  recordingUrl?: string
  transcript?: string
  /** The faxed file. */
  attachment?: NewAttachment
}

/** Dependencies of changes to a PA's history. */
export interface HistoryDeps extends Pick<Platform, 'clock' | 'emit' | 'random' | 'files'> {
  save: (record: PriorAuthorizationRecord) => void
}

/** Adds to the message thread, emits, and returns the message's id. Allowed at any status, terminal ones included (specification, States). */
export function addMessage(
  { clock, emit, random, files, save }: HistoryDeps,
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
    attachments: attachments.map((attachment, index) => {
      const key = `att_${random.fork(`${id}/attachment/${index}`).letters(16)}`
      return { id: key, file_name: attachment.fileName, url: attach(files, record, 'attachments', key, attachment) }
    }),
  })
  resource.message_thread.is_resolved = isResolution
  save(record)
  emit({ organization, type: 'prior_authorization.message', resource })
  return id
}

/** Adds to the activity log, emits, and returns the entry's id. */
export function addActivity(
  { clock, emit, random, files, save }: HistoryDeps,
  record: PriorAuthorizationRecord,
  { type, notes, recordingUrl, transcript, attachment }: NewActivity,
): string {
  const { resource, organization } = record
  const id = `act_${random.fork(`${record.id}/activity/${resource.activity_log.length}`).letters(16)}`
  const entry = { id, created_at: clock.iso() }
  const fax =
    attachment === undefined
      ? pathOfFile({ resourceId: record.id, kind: 'faxes', name: `${id}.pdf` })
      : attach(files, record, 'faxes', id, attachment)
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
      : { ...entry, type, details: { url: fax } },
  )
  save(record)
  emit({ organization, type: 'prior_authorization.activity_log_updated', resource })
  return id
}

/** Stores the content of a file, if given; returns the file's path. */
function attach(
  files: HistoryDeps['files'],
  { id: resourceId, organization }: PriorAuthorizationRecord,
  kind: 'attachments' | 'faxes',
  key: string,
  { fileName: name, contentType, fileContent }: NewAttachment,
): string {
  const path = pathOfFile({ resourceId, kind, key, name, contentType })
  if (fileContent !== undefined) files.keepAs(path, { organization, content: fileContent })
  return path
}
