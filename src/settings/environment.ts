import { z } from 'zod'
import { alertSettings } from '@pawl/console/alerts/settings'
import { tracingSettings } from '@pawl/base/tracing/settings'
import { fhirSettings } from '@pawl/ehr/fhir/settings'
import { hl7Settings } from '@pawl/ehr/hl7/settings'
import { pharmacySettings } from '@pawl/pharmacy/settings'
import { consoleSettings } from '@pawl/console/settings'
import { ledgerSettings } from '@pawl/ledger/settings'
import { queueSettings } from '../queue/settings.ts'
import { receiveSettings } from '../receive/settings.ts'
import { serviceSettings } from 'pawl-client/api/settings'
import { workSettings } from '../work/settings.ts'
import { processSettings } from './process-settings.ts'

/** Every setting with its default and its description, in the order of .env.example. */
export const Environment = z.object({
  ...processSettings,
  ...tracingSettings,
  ...receiveSettings,
  ...consoleSettings,
  ...serviceSettings,
  ...ledgerSettings,
  ...queueSettings,
  ...workSettings,
  ...fhirSettings,
  ...hl7Settings,
  ...pharmacySettings,
  ...alertSettings,
})

/** Values of pawl's own settings by name. */
export type Settings = z.infer<typeof Environment>

/** Marks of settings, given by `.meta()` of their schemas, for `pawl doctor`. */
interface Marks {
  /** It is one secret of our own, one that another party issued, or a list of our own, separated by commas. */
  secret: 'own' | 'issued' | 'list'
  /** Paths are appended to this address. */
  isBase: true
  /** This address receives tokens or patients' data. */
  isOutward: true
}

/** Names of the settings with this mark. */
export function settingsMarked<M extends keyof Marks>(mark: M, value: Marks[M]): (keyof Settings)[] {
  const marked = Object.entries(Environment.shape).filter(
    ([, schema]) => z.globalRegistry.get(schema)?.[mark] === value,
  )
  // The compiler forgets the keys of an object.
  return marked.map(([name]) => name as keyof Settings)
}

/** The addresses with this mark that are set, by name. */
export function addressesMarked(settings: Settings, mark: 'isBase' | 'isOutward'): [name: string, address: string][] {
  return settingsMarked(mark, true).flatMap((name): [string, string][] => {
    const address = settings[name]
    return typeof address === 'string' ? [[name, address]] : []
  })
}
