import { defineHandler, FileTooLarge, type Message } from '#pawl'
import { type ChartFile, isFileRefusedByChart } from '@pawl/ehr'

/** Files the messages of each prior authorization in the chart, with their attachments. */
export default defineHandler({
  name: 'messages-to-ehr',
  on: ['prior_authorization.message', 'prior_authorization.status_change'],
  reads: ['message_thread'],
  // One file may take half a minute, and there may be several.
  timeoutMs: 300_000,
  async handle(context) {
    const { resource, changes, ehr, log } = context
    const failures: unknown[] = []

    function note(error: unknown): void {
      if (error instanceof FileTooLarge || isFileRefusedByChart(error))
        log.warn({ error }, 'attachment left out: the chart cannot hold it')
      else failures.push(error)
    }

    /** The attachments that could be downloaded. */
    async function filesOf({ id, timestamp, attachments = [] }: Message): Promise<ChartFile[]> {
      const files: ChartFile[] = []
      for (const [index, { id: attachmentId = index, file_name: title = 'Attachment', url }] of attachments.entries()) {
        if (url === undefined) continue
        const named = { key: `${id}/${attachmentId}`, kind: 'attachment', title, at: timestamp } as const
        try {
          files.push({ ...named, ...(await context.api.downloadFile(url, { signal: context.signal })) })
        } catch (error) {
          if (error instanceof FileTooLarge) await ehr.tellOfFile(resource, named).catch(note)
          note(error)
        }
      }
      return files
    }

    // Written once, with the files that arrived, so that a failed file does not delay the text. The retry writes the message again with all files, and changes only the missing parts.
    for (const message of changes.newMessages)
      await ehr.putMessage(resource, message, await filesOf(message)).catch(note)
    if (failures.length > 0) throw failures[0]
  },
})
