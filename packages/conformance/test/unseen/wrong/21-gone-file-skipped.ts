import { defineHandler, FileExpired, FileUnavailable } from '../../../../../src/index.ts'
import type { ChartFile } from '@pawl/ehr'

/** Wrong: takes an address that has expired, or a host that is away, for a file that is gone, and never files it. */
export const handler = defineHandler({
  name: 'messages-to-ehr',
  on: ['prior_authorization.message', 'prior_authorization.status_change'],
  timeoutMs: 300_000,
  async handle({ resource, changes, api, ehr, log, signal }) {
    for (const message of changes.newMessages) {
      const files: ChartFile[] = []
      for (const [index, attachment] of (message.attachments ?? []).entries()) {
        const { id = index, file_name: title = 'Attachment', url } = attachment
        if (url === undefined) continue
        try {
          const file = await api.downloadFile(url, { signal })
          files.push({ ...file, key: `${message.id}/${id}`, kind: 'attachment', title, at: message.timestamp })
        } catch (error) {
          // The text matters most.
          if (!(error instanceof FileExpired || error instanceof FileUnavailable)) throw error
          log.warn({ error }, 'the attachment is gone')
        }
      }
      await ehr.putMessage(resource, message, files)
    }
  },
})
