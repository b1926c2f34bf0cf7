import { z } from 'zod'
import { cardBytesLimit } from 'pawl-client/schemas/file-format'
import { base64 } from 'pawl-client/schemas/text'

/** A file that a control adds to a PA, with invented content by default. */
export const Attachment = z.strictObject({
  // Either would be a path segment in the file's URL.
  file_name: z
    .string()
    .min(1)
    .refine((name) => name !== '.' && name !== '..', 'must be the name of a file'),
  content_type: z
    .string()
    .regex(/^[\w.+-]+\/[\w.+-]+$/, 'must be a media type such as text/plain')
    .optional(),
  /** Base64. Limited like a card, the only documented size limit (specification, Card and evidence file rules). */
  file_content: base64
    .refine(
      (content) => Buffer.byteLength(content, 'base64') < cardBytesLimit,
      `must have fewer than ${cardBytesLimit} bytes when decoded`,
    )
    .optional(),
})

/** Refines an entry of the activity log: a call has no file besides its recording. */
export const attachedToFax: [
  fits: (entry: { type: string; attachment?: unknown }) => boolean,
  otherwise: { path: string[]; error: string },
] = [
  ({ type, attachment }) => type !== 'follow_up_call' || attachment === undefined,
  { path: ['attachment'], error: 'goes with a fax, not with a call' },
]
