import { z } from 'zod'
import { TransferNotice } from '../transfer-notice.ts'

/** One answer of the feed. docs/prescription-transfer-page.schema.json is generated from it. */
export const FeedPageBody = z
  .object({
    next: z.int().min(0).describe('Ask for `after` this number next.'),
    more: z.boolean().describe('There are more notices: ask at once.'),
    notices: z.array(TransferNotice).describe('The notices after `after`, in the order of the feed.'),
  })
  .meta({ title: 'Page of the feed of prescription transfers' })
