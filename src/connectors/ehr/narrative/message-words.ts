import type { Message } from '../../../service/schemas/prior-authorization.ts'
import { text } from '../primitives.ts'

/** A message of a PA's thread in words: what was said, then the names of its attachments. */
export function messageWords({ direction, content, attachments = [] }: Message): { title: string; lines: string[] } {
  const names = attachments.map(({ file_name }) => `Attachment: ${text(file_name) ?? 'without a name'}`)
  return {
    title: `Message about a prior authorization, ${direction ?? 'direction unknown'}`,
    lines: [text(content), ...names].filter((line) => line !== undefined),
  }
}
