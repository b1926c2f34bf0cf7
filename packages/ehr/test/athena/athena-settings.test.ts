import { describe, expect, it } from 'vitest'
import { inspectSettings, openBySettings } from '../hl7/open-hl7.ts'

const complete = {
  ATHENA_BASE_URL: 'https://api.preview.platform.athenahealth.com',
  ATHENA_PRACTICE_ID: '195900',
  ATHENA_CLIENT_ID: 'id',
  ATHENA_CLIENT_SECRET: 'secret',
  ATHENA_DEPARTMENT_ID: '1',
  ATHENA_DOCUMENT_SUBCLASS: 'CONSULTNOTE, letter=ADMISSIONDISCHARGE',
}

describe('the settings of athenaOne', () => {
  it('may be complete', () => {
    expect(inspectSettings(complete).faults).toEqual([])
    expect(openBySettings(complete).check).toBeDefined()
  })

  it.each<[settings: Record<string, string>, fault: RegExp]>([
    [{ ATHENA_PRACTICE_ID: 'mine' }, /^ATHENA_PRACTICE_ID: must be a number/],
    [{ ATHENA_DEPARTMENT_ID: '' }, /^ATHENA_DEPARTMENT_ID: is missing; ATHENA_BASE_URL cannot be used without it/],
    [{ ATHENA_CLIENT_SECRET: '' }, /^ATHENA_CLIENT_SECRET: is missing/],
    [{ ATHENA_DOCUMENT_CLASS: 'letter' }, /^ATHENA_DOCUMENT_CLASS: must be one of clinicaldocument, admin/],
    [{ ATHENA_DOCUMENT_SUBCLASS: 'letter=LEGAL' }, /^ATHENA_DOCUMENT_SUBCLASS: names no subclass for all other kinds/],
    [{ ATHENA_DOCUMENT_SUBCLASS: 'LEGAL,fox=LEGAL' }, /^ATHENA_DOCUMENT_SUBCLASS: must be a code/],
  ])('%j is refused', (settings, fault) => {
    expect(inspectSettings({ ...complete, ...settings }).faults).toEqual([expect.stringMatching(fault)])
  })

  it('name no second chart beside it', () => {
    expect(() => openBySettings({ ...complete, FHIR_BASE_URL: 'https://fhir.example' })).toThrow(
      'ATHENA_BASE_URL: names a chart of its own',
    )
  })
})
