import { ConfigInvalid } from '@pawl/base/errors'
import type { System } from '@pawl/connector/system'
import { athenaEhr } from './athena/athena-from.ts'
import type { AthenaSettings } from './athena/settings.ts'
import type { Ehr } from './ehr.ts'
import { createChartPatients } from './fhir/chart-patients.ts'
import { fhirEhr } from './fhir/fhir-ehr.ts'
import type { FhirSettings } from './fhir/settings.ts'
import { hl7Ehr } from './hl7/hl7-from.ts'
import type { Hl7Settings } from './hl7/settings.ts'

/**
 * The chart that the settings name. With ATHENA_BASE_URL, athenaOne gets documents by its own interface. With EHR_URL, documents go there by HL7 v2, and FHIR_BASE_URL beside it finds patients and drafts requests. Otherwise, `fhirEhr` writes by
 * FHIR with `options`. Without either, production parks writes and development keeps them in memory. Throws `ConfigInvalid` and `PackageMissing`.
 */
export function ehrFrom(
  settings: FhirSettings & Hl7Settings & AthenaSettings & { NODE_ENV: string; FHIR_IDENTIFIER_BASE: string },
  options?: Parameters<typeof fhirEhr>[1],
): System<Ehr> {
  const { ATHENA_BASE_URL: athena, EHR_URL: url, FHIR_BASE_URL: baseUrl } = settings
  if (athena !== undefined) {
    if (url !== undefined || baseUrl !== undefined)
      throw new ConfigInvalid('ATHENA_BASE_URL: names a chart of its own; remove it, or EHR_URL and FHIR_BASE_URL.')
    return athenaEhr(athena, settings)
  }
  if (url === undefined) return fhirEhr(settings, options)
  if (baseUrl === undefined) return hl7Ehr(url, settings)
  const { publicKeys, patientRole, draft, ...patients } = createChartPatients(baseUrl, settings)
  return {
    ...hl7Ehr(url, settings, patients),
    ...(publicKeys !== undefined && { publicKeys }),
    ...(patientRole !== undefined && { patientRole }),
    ...(draft !== undefined && { draft }),
  }
}
