import { z } from 'zod'
import type { Archive } from './archive.ts'

/** Faults of webhook deliveries. */
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

/** Faults of answers to requests. */
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

const chance = z.number().min(0).max(1)

/** Chance of each fault; omitted faults never happen. */
export const ChaosSettings = z.strictObject({
  sending: z.partialRecord(z.enum(sendingFaults), chance).optional(),
  answering: z.partialRecord(z.enum(answeringFaults), chance).optional(),
})
export type ChaosSettings = z.infer<typeof ChaosSettings>

export interface Chaos {
  sending: SendingChaos
  answering: AnsweringChaos
}

const each = <Fault extends string>(faults: readonly Fault[], chance: number) =>
  // The compiler cannot see the keys of an object made from entries.
  Object.fromEntries(faults.map((fault) => [fault, chance])) as Record<Fault, number>

/** All chances, with 0 for omitted faults. */
function chaosOf(settings: ChaosSettings | ChaosPreset): Chaos {
  const { sending, answering }: ChaosSettings = typeof settings === 'string' ? chaosPresets[settings] : settings
  return {
    sending: { ...each(sendingFaults, 0), ...sending },
    answering: { ...each(answeringFaults, 0), ...answering },
  }
}

/** The chances in effect. */
export interface ChaosDial {
  read: () => Chaos
  /** Replaces all chances; omitted faults never happen. */
  set: (settings: ChaosSettings | ChaosPreset) => Chaos
}

/** Starts with `initial`, else with the archived settings, else off. */
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

/** Named settings: every fault rarely, every fault often, or one side only. */
const chaosPresets = {
  off: {},
  light: { sending: each(sendingFaults, 0.02), answering: each(answeringFaults, 0.01) },
  heavy: { sending: each(sendingFaults, 0.15), answering: each(answeringFaults, 0.08) },
  sending: { sending: each(sendingFaults, 0.1) },
  answering: { answering: each(answeringFaults, 0.05) },
} as const satisfies Record<string, ChaosSettings>
export type ChaosPreset = keyof typeof chaosPresets
/** Names of the presets. The compiler types keys as strings. */
export const presetNames = Object.keys(chaosPresets) as [ChaosPreset, ...ChaosPreset[]]
