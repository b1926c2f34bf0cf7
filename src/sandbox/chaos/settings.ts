/** Chances, 0 to 1, that a webhook is sent otherwise than it should be. */
export const sendingFaults = [
  'duplicate',
  'reorder',
  'delay',
  'drop',
  'stale_copy',
  'wrong_secret',
  'unknown_event_type',
  'unknown_status',
  'extra_fields',
] as const
export type SendingFault = (typeof sendingFaults)[number]

/** Chances, 0 to 1, that a request is answered otherwise than it should be. */
export const answeringFaults = [
  'rate_limited',
  'internal_error',
  'unavailable',
  'timeout',
  'disconnect',
  'slow',
  'half_body',
] as const
export type AnsweringFault = (typeof answeringFaults)[number]

export type SendingChaos = Record<SendingFault, number>
export type AnsweringChaos = Record<AnsweringFault, number>

/** What goes wrong how often; whatever is not named never does. */
export interface ChaosSettings {
  sending?: Partial<SendingChaos>
  answering?: Partial<AnsweringChaos>
}

export interface Chaos {
  sending: SendingChaos
  answering: AnsweringChaos
}

const each = <Fault extends string>(faults: readonly Fault[], chance: number) =>
  // The compiler forgets the keys of what is made from entries.
  Object.fromEntries(faults.map((fault) => [fault, chance])) as Record<Fault, number>

/** The whole of the settings, with 0 for what is not named. */
export function chaosOf({ sending, answering }: ChaosSettings): Chaos {
  return {
    sending: { ...each(sendingFaults, 0), ...sending },
    answering: { ...each(answeringFaults, 0), ...answering },
  }
}

/** Named settings: everything now and then, everything often, or one side alone. */
export const chaosPresets = {
  off: {},
  light: { sending: each(sendingFaults, 0.02), answering: each(answeringFaults, 0.01) },
  heavy: { sending: each(sendingFaults, 0.15), answering: each(answeringFaults, 0.08) },
  sending: { sending: each(sendingFaults, 0.1) },
  answering: { answering: each(answeringFaults, 0.05) },
} as const satisfies Record<string, ChaosSettings>
export type ChaosPreset = keyof typeof chaosPresets
