import { ConfigInvalid } from '@pawl/base/errors'
import type { System } from '@pawl/connector/system'
import type { Ehr } from '../ehr.ts'
import { chosenFiling } from '../filing.ts'
import { createAthenaEhr } from './athena-ehr.ts'
import type { AthenaSettings } from './settings.ts'

/** athenaOne's charts at this address. Throws `ConfigInvalid`. */
export function athenaEhr(baseUrl: string, settings: AthenaSettings & Parameters<typeof chosenFiling>[0]): System<Ehr> {
  const needed = <Name extends keyof AthenaSettings>(name: Name): NonNullable<AthenaSettings[Name]> => {
    const value = settings[name]
    if (value === undefined) throw new ConfigInvalid(`${name}: is missing; ATHENA_BASE_URL cannot be used without it.`)
    return value
  }
  return createAthenaEhr({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    practiceId: needed('ATHENA_PRACTICE_ID'),
    clientId: needed('ATHENA_CLIENT_ID'),
    clientSecret: needed('ATHENA_CLIENT_SECRET'),
    departmentId: needed('ATHENA_DEPARTMENT_ID'),
    documentClass: settings.ATHENA_DOCUMENT_CLASS ?? 'clinicaldocument',
    subclasses: needed('ATHENA_DOCUMENT_SUBCLASS'),
    isClosed: settings.ATHENA_CLOSED ?? false,
    patientField: settings.ATHENA_PATIENT_FIELD ?? 'internal_id',
    filing: chosenFiling(settings),
  })
}
