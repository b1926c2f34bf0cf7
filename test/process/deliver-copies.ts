import { deliver } from '../support/webhook.ts'

/** Posts one delivery so many times at once, to the receivers in turn; resolves with how often each status was answered. */
export async function deliverCopies(
  urls: readonly string[],
  body: object,
  copies: number,
): Promise<Record<number, number>> {
  const answers = await Promise.all(
    Array.from({ length: copies }, (_, n) => deliver(urls[n % urls.length] ?? '', body)),
  )
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
