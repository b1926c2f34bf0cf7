import { z } from 'zod'
import { cardBytesLimit } from '../../service/schemas/file-format.ts'
import { base64 } from '../../service/schemas/text.ts'

/** A file that a control gives a PA. Without content it gets one that is invented. */
export const Attachment = z.strictObject({
  // Either would be a step of a path in the address that the file gets.
  file_name: z
    .string()
    .min(1)
    .refine((name) => name !== '.' && name !== '..', 'must be the name of a file'),
  content_type: z
    .string()
    .regex(/^[\w.+-]+\/[\w.+-]+$/, 'must be a media type, as text/plain')
    .optional(),
  /** Base64. As large as a card may be, the one size that the interface limits (specification, Card and evidence file rules). */
  file_content: base64
    .refine(
      (content) => Buffer.byteLength(content, 'base64') < cardBytesLimit,
      `must have fewer than ${cardBytesLimit} bytes when decoded`,
    )
    .optional(),
})

/** Refines an entry of the activity log: a call has no file but its recording. */
export const attachedToFax: [
  fits: (entry: { type: string; attachment?: unknown }) => boolean,
  otherwise: { path: string[]; error: string },
] = [
  ({ type, attachment }) => type !== 'follow_up_call' || attachment === undefined,
  { path: ['attachment'], error: 'goes with a fax, not with a call' },
]
