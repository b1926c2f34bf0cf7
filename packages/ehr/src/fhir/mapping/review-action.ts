import type { ClaimResponse, ClaimResponseItem, Period } from 'fhir/r4.js'

/** X12 service review actions (code list 306). */
export type ReviewAction = 'A1' | 'A3' | 'A4' | 'C' | 'NA'

const pas = 'http://hl7.org/fhir/us/davinci-pas/StructureDefinition'
const codeList = 'https://codesystem.x12.org/005010/306'

/** The only item of a determination, which carries its review action and, where one was granted, its validity. */
export function reviewed(action: ReviewAction, valid: Period | undefined): ClaimResponseItem {
  const code = {
    url: `${pas}/extension-reviewActionCode`,
    valueCodeableConcept: { coding: [{ system: codeList, code: action }] },
  }
  return {
    ...(valid && { extension: [{ url: `${pas}/extension-itemPreAuthPeriod`, valuePeriod: valid }] }),
    itemSequence: 1,
    adjudication: [
      {
        extension: [{ url: `${pas}/extension-reviewAction`, extension: [code] }],
        category: {
          coding: [{ system: 'http://terminology.hl7.org/CodeSystem/adjudication', code: 'submitted' }],
        },
      },
    ],
  }
}

/** Whether a determination states that the payer has the request. */
export function isPended(response: ClaimResponse | undefined): boolean {
  const extensions = response?.item?.flatMap(({ adjudication }) =>
    adjudication.flatMap(({ extension = [] }) => extension),
  )
  const codings = extensions?.flatMap(({ extension = [] }) =>
    extension.flatMap(({ valueCodeableConcept }) => valueCodeableConcept?.coding ?? []),
  )
  return codings?.some(({ system, code }) => system === codeList && code === 'A4') ?? false
}
