import { z } from 'zod'
import type { HistoryCursor } from '../../ledger/views/read-history.ts'

const Row = z.int().min(0).optional()
const Cursor = z.strictObject({
  event: Row,
  transition: Row,
  run: Row,
  reveal: Row,
  effect: z.tuple([z.number(), z.string(), z.string()]).optional(),
})

/** Writes how far back a story was read as one word for an address. */
export function writeCursor(cursor: HistoryCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

/** Reads what `writeCursor` wrote; undefined of anything else. */
export function readCursor(text: string): HistoryCursor | undefined {
  try {
    return Cursor.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data
  } catch {
    return undefined
  }
}
