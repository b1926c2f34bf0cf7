import { z } from 'zod'
import { Attachment } from './attachment.ts'

const text = z.string().min(1)

/** A message for the thread of a PA, as controls and scenarios take it. */
export const MessageRequest = z.strictObject({
  content: text,
  direction: z.enum(['sent', 'received']).optional(),
  sent_by_name: text.optional(),
  is_resolution: z.boolean().optional(),
  attachments: z.array(Attachment).optional(),
})
