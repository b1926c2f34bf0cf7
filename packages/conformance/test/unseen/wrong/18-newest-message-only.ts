import { type Api, defineHandler, type Message } from '../../../../../src/index.ts'
import type { ChartFile } from '@pawl/ehr'

/** Wrong: files the newest message of the thread, so of two that come together the first is lost. */
export const handler = defineHandler({
  name: 'messages-to-ehr',
  on: ['prior_authorization.message', 'prior_authorization.status_change'],
  timeoutMs: 300_000,
  async handle({ resource, api, ehr, signal }) {
    const message = resource.message_thread?.messages?.at(-1)
    if (message === undefined) return
    await ehr.putMessage(resource, message, await filesOf(message, api, signal))
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
