import { z } from 'zod'
import { Attachment } from './attachment.ts'

const text = z.string().min(1)

/** A message for a PA's thread, in the format of controls and scenarios. */
export const MessageRequest = z.strictObject({
  content: text,
  direction: z.enum(['sent', 'received']).optional(),
  sent_by_name: text.optional(),
  is_resolution: z.boolean().optional(),
  attachments: z.array(Attachment).optional(),
})
