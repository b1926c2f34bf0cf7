import type { DeliveryOutcome, Receiver } from './receiver.ts'

/** The same receiver, which reports outcome and duration in milliseconds of each delivery. */
export function timeAnswers(
  receiver: Receiver,
  report: (outcome: DeliveryOutcome, tookMs: number) => void,
  elapsed: () => number = () => performance.now(),
): Receiver {
  return (req, res) => {
    const begunAt = elapsed()
    res.once('finish', () => report(outcomes[res.statusCode] ?? 'refused', elapsed() - begunAt))
    return receiver(req, res)
  }
}

const outcomes: Readonly<Record<number, DeliveryOutcome>> = { 200: 'duplicate', 202: 'stored', 503: 'unavailable' }
