import type { Archive } from '../platform/archive.ts'

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
function chaosOf(settings: ChaosSettings | ChaosPreset): Chaos {
  const { sending, answering }: ChaosSettings = typeof settings === 'string' ? chaosPresets[settings] : settings
  return {
    sending: { ...each(sendingFaults, 0), ...sending },
    answering: { ...each(answeringFaults, 0), ...answering },
  }
}

/** What goes wrong how often just now. */
export interface ChaosDial {
  read: () => Chaos
  /** Sets all of it: what is not named never happens from now on. */
  set: (settings: ChaosSettings | ChaosPreset) => Chaos
}

/** Makes a dial, set to `initial`, else to what the archive keeps, else to nothing. */
export function createChaosDial(deps: {
  initial: ChaosSettings | ChaosPreset | undefined
  archive: Archive
}): ChaosDial {
  const { initial, archive } = deps
  const kept = archive.list('setting').find(({ id }) => id === 'chaos')?.value
  // The compiler cannot see that only `set` writes this setting.
  let chaos = chaosOf(initial ?? (kept as Chaos | undefined) ?? 'off')
  const set = (settings: ChaosSettings | ChaosPreset): Chaos => {
    chaos = chaosOf(settings)
    archive.put('setting', 'chaos', chaos)
    return chaos
  }
  if (initial !== undefined) set(initial)
  return { read: () => chaos, set }
}

/** Named settings: everything now and then, everything often, or one side alone. */
const chaosPresets = {
  off: {},
  light: { sending: each(sendingFaults, 0.02), answering: each(answeringFaults, 0.01) },
  heavy: { sending: each(sendingFaults, 0.15), answering: each(answeringFaults, 0.08) },
  sending: { sending: each(sendingFaults, 0.1) },
  answering: { answering: each(answeringFaults, 0.05) },
} as const satisfies Record<string, ChaosSettings>
export type ChaosPreset = keyof typeof chaosPresets
/** Every preset's name. The compiler knows keys only as strings. */
export const presetNames = Object.keys(chaosPresets) as [ChaosPreset, ...ChaosPreset[]]
