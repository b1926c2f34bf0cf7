import { type Api, defineHandler, type Message } from '../../../../../src/index.ts'
import type { ChartFile } from '@pawl/ehr'

/** Wrong: starts the writes and does not await them, so the run ends before its messages are filed. */
export const handler = defineHandler({
  name: 'messages-to-ehr',
  on: ['prior_authorization.message', 'prior_authorization.status_change'],
  timeoutMs: 300_000,
  async handle({ resource, changes, api, ehr, log, signal }) {
    const filed = changes.newMessages.map(async (message) => {
      await ehr.putMessage(resource, message, await filesOf(message, api, signal))
    })
    log.info({ count: filed.length }, 'messages filed')
  },
})

async function filesOf(
  { id, timestamp, attachments = [] }: Message,
  api: Api,
  signal: AbortSignal,
): Promise<ChartFile[]> {
  const files: ChartFile[] = []
  for (const [index, { id: attachmentId = index, file_name: title = 'Attachment', url }] of attachments.entries()) {
    if (url === undefined) continue
    const file = await api.downloadFile(url, { signal })
    files.push({ ...file, key: `${id}/${attachmentId}`, kind: 'attachment', title, at: timestamp })
  }
  return files
}
