/** Faults between two systems. A number refuses with that status. `timeout` hangs, then cuts before the request takes effect. `half_answer` and `lost_answer` cut after it took effect. `slow` answers after the lease. `edited` lets staff change the chart's record between the handler's read and write. `killed_*` kills pawl before or after the request takes effect. */
export const faults = [
  '429',
  '500',
  '502',
  '503',
  '504',
  'timeout',
  'half_answer',
  'lost_answer',
  'slow',
  'edited',
  'killed_before',
  'killed_after',
] as const
export type Fault = (typeof faults)[number]

/** The systems around pawl. `own`: every system besides the first three. */
export const systemNames = ['service', 'chart', 'pharmacy', 'own'] as const
export type SystemName = (typeof systemNames)[number]
