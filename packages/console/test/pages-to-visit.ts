/** Lists of the console with their filters, for a ledger as `fillLargeLedger` leaves it; the filters by time cover this day until the next. */
export const lists = (day: string, nextDay: string): readonly string[] => [
  '/parked',
  '/parked?error=code_2',
  '/work-queue',
  '/work-queue?kind=benefit_verification',
  '/resources',
  '/resources?kind=benefit_verification',
  '/resources?state=parked',
  '/events',
  '/events?source=poll',
  '/events?resource=pa_7',
  '/rejections',
  '/runs',
  '/runs?result=failed&within=1%20h',
  '/runs?resource=pa_7',
  '/resources/pa_7',
  '/events/7',
  '/events?state=parked',
  '/audit',
  '/audit?actor=rare',
  '/audit?action=work.retry',
  '/audit?resource=pa_7',
  `/audit?from=${day}&to=${day}`,
  '/audit?actor=maria&action=work.retry',
  `/report?from=${day}&to=${nextDay}&by=drug`,
]

/** All that has no parts to turn to. */
export const others: readonly string[] = [
  '/',
  '/alerts',
  '/handlers',
  '/handlers/pause?kind=system&name=ehr',
  '/settings',
  '/history',
  '/ask',
  '/erase',
  '/history?range=7%20d',
  '/runbook',
  '/docs/operating',
  '/help',
  '/metrics',
]

/** Addresses that `pawl` or another program reads. */
export const apis: readonly string[] = [
  '/api/status',
  '/api/handlers',
  '/api/alerts',
  '/api/parked',
  '/api/due',
  '/api/events',
  '/api/work-queue',
]
