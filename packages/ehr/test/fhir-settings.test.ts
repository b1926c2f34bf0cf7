import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fhirSettings } from '../src/fhir/settings.ts'

const read = (text: string) => fhirSettings.FHIR_STRATEGIES.safeParse(text)
const faultOf = (text: string) =>
  read(text)
    .error?.issues.map(({ message }) => message)
    .join('\n')

describe('FHIR_PROFILE_OVERRIDES', () => {
  const faultsOf = (text: string) =>
    fhirSettings.FHIR_PROFILE_OVERRIDES.safeParse(text).error?.issues.map(({ message }) => message) ?? []

  it('takes parts by type, and null for a part that is not demanded', () => {
    const given = {
      DocumentReference: { category: null, period: true, docStatus: ['final'] },
      Task: { statuses: { 'on-hold': 'in-progress' } },
    }
    expect(fhirSettings.FHIR_PROFILE_OVERRIDES.parse(JSON.stringify(given))).toEqual(given)
  })

  it.each([
    ['not JSON', ['must be a JSON object of types']],
    ['[]', ['must be a JSON object of types']],
    ['{"Coverage":{}}', ['Coverage is no part of a profile']],
    [
      '{"DocumentReference":{"categry":{},"title":"x"}}',
      ['DocumentReference.categry is no part of a profile', 'DocumentReference.title is no part of a profile'],
    ],
    [
      '{"DocumentReference":{"docStatus":["signed"]}}',
      [/^DocumentReference\.docStatus\.0 must be one of preliminary, /],
    ],
    ['{"DocumentReference":{"docStatus":[]}}', ['DocumentReference.docStatus must have one']],
    ['{"DocumentReference":{"period":false}}', [/^DocumentReference\.period must be true, or null/]],
    [
      '{"DocumentReference":{"category":{"coding":[{"system":"x"}]}}}',
      [/^DocumentReference\.category\.coding\.0\.code /],
    ],
    [
      '{"DocumentReference":{"extensions":[{"url":"x"},{"url":"x","valueString":"a","from":"date"}]}}',
      [
        'DocumentReference.extensions.0 must have url and one value',
        'DocumentReference.extensions.1 must have url and one value',
      ],
    ],
    ['{"Task":{"statuses":{"waiting":"requested"}}}', [/^Task\.statuses\.waiting /]],
    ['{"Task":{"statuses":{"ready":"waiting"}}}', [/^Task\.statuses\.ready must be one of draft, /]],
  ])('refuses %s and names the path, never the value', (text, faults) => {
    const found = faultsOf(text)
    expect(found).toEqual(faults.map((fault) => (typeof fault === 'string' ? fault : expect.stringMatching(fault))))
    expect(found.join()).not.toContain('signed')
  })
})

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
