import { z } from 'zod'
import { alertSettings } from '../alerts/settings.ts'
import { tracingSettings } from '../base/tracing/settings.ts'
import { fhirSettings } from '../connectors/ehr/fhir/settings.ts'
import { hl7Settings } from '../connectors/ehr/hl7/settings.ts'
import { pharmacySettings } from '../connectors/pharmacy/settings.ts'
import { consoleSettings } from '../console/settings.ts'
import { ledgerSettings } from '../ledger/settings.ts'
import { queueSettings } from '../queue/settings.ts'
import { receiveSettings } from '../receive/settings.ts'
import { serviceSettings } from '../service/client/settings.ts'
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
