import { z } from 'zod'
import { alertSettings } from '@pawl/console/alerts/settings'
import { tracingSettings } from '@pawl/base/tracing/settings'
import { staffSettings } from '@pawl/console/staff/staff-settings'
import { consoleSettings } from '@pawl/console/settings'
import { ledgerSettings } from '@pawl/ledger/settings'
import { queueSettings } from '../queue/settings.ts'
import { receiveSettings } from '../receive/settings.ts'
import { serviceSettings } from 'pawl-client/api/settings'
import { workSettings } from '../work/settings.ts'
import { processSettings } from './process-settings.ts'

/** Every setting of pawl itself with its default and its description, in the order of .env.example. */
export const Environment = z.object({
  ...processSettings,
  ...tracingSettings,
  ...receiveSettings,
  ...consoleSettings,
  ...serviceSettings,
  ...ledgerSettings,
  ...queueSettings,
  ...workSettings,
  ...alertSettings,
  ...staffSettings,
})

/** Values of pawl's own settings by name. */
export type Settings = z.infer<typeof Environment>

/** Schemas of settings by name. */
export type Schemas = Readonly<Record<string, z.ZodType>>

/** Marks of settings, given by `.meta()` of their schemas, for `pawl doctor`. */
interface Marks {
  /** `own`: one secret of ours. `issued`: one from another party. `list`: a list of our own, separated by commas. `entries`: JSON whose entries hold such lists. */
  secret: 'own' | 'issued' | 'list' | 'entries'
  /** Paths are appended to this address. */
  isBase: true
  /** This address receives tokens or patients' data. */
  isOutward: true
}

/** Whether a value of this schema is a number or one of fixed words, which can hold no secret, address or name. */
export function isPlain(schema: z.core.$ZodType | undefined): boolean {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return isPlain(schema.def.innerType)
  if (schema instanceof z.ZodPipe) return isPlain(schema.def.in)
  return schema instanceof z.ZodNumber || schema instanceof z.ZodEnum
}

/** Names of the settings with this mark. */
export function settingsMarked<M extends keyof Marks>(schemas: Schemas, mark: M, value: Marks[M]): string[] {
  const marked = Object.entries(schemas).filter(([, schema]) => z.globalRegistry.get(schema)?.[mark] === value)
  return marked.map(([name]) => name)
}

/** The addresses with this mark that are set, by name. */
export function addressesMarked(
  { schemas, settings }: { schemas: Schemas; settings: Readonly<Record<string, unknown>> },
  mark: 'isBase' | 'isOutward',
): [name: string, address: string][] {
  return settingsMarked(schemas, mark, true).flatMap((name): [string, string][] => {
    const address = settings[name]
    return typeof address === 'string' ? [[name, address]] : []
  })
}
