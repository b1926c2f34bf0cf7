/** Faults between two systems: refusal with that status; a hang, then a cut, before the request takes effect; half of the answer, or none, after it took effect; an answer later than the lease; staff edit the record of the chart after the handler read it, right before its write; pawl is killed before the request takes effect, or after. */
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

/** The systems around pawl; `own`: all that are none of the other three. */
export const systemNames = ['service', 'chart', 'pharmacy', 'own'] as const
export type SystemName = (typeof systemNames)[number]
