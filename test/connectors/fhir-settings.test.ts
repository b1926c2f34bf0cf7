import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fhirSettings } from '../../src/connectors/ehr/fhir/settings.ts'

const read = (text: string) => fhirSettings.FHIR_STRATEGIES.safeParse(text)
const faultOf = (text: string) =>
  read(text)
    .error?.issues.map(({ message }) => message)
    .join('\n')

describe('FHIR_STRATEGIES', () => {
  it('takes types, kinds of documents, and fax for both kinds of fax', () => {
    expect(read('Task=skip, DocumentReference/fax=skip,DocumentReference/note = create').data).toEqual({
      Task: 'skip',
      'DocumentReference/fax_sent': 'skip',
      'DocumentReference/fax_received': 'skip',
      'DocumentReference/note': 'create',
    })
  })

  it.each([
    ['Tasks=skip', '"Tasks=skip" names no type; types are DocumentReference, Task,'],
    ['DocumentReference/faxes=skip', 'names no kind of document; kinds are fax, prior-authorization,'],
    ['Task/fax=skip', 'only documents have kinds, as in DocumentReference/fax=skip'],
    ['Task=never', '"Task=never" names no strategy; strategies are conditional-update, search,'],
    ['Task', '"Task" names no strategy'],
    ['Task=skip=create', 'names no strategy'],
  ])('says of %s what is wrong, and what there is', (text, fault) => {
    expect(faultOf(text)).toContain(fault)
  })

  it('says everything at once', () => {
    expect(faultOf('Tasks=skip,Task=never')?.split('\n')).toHaveLength(2)
    expect(z.object(fhirSettings).safeParse({ FHIR_STRATEGIES: 'Tasks=skip' }).error?.issues[0]?.path).toEqual([
      'FHIR_STRATEGIES',
    ])
  })
})
