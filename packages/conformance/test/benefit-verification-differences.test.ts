import { describe, expect, it } from 'vitest'
import { benefitVerificationDifferences } from '../../testing/src/in-sync/benefit-verification-differences.ts'
import { patientCoverageStatuses } from '../../client/src/schemas/benefit-verification.ts'
import { aBenefitVerification } from '../../testing/src/a-benefit-verification.ts'

/** As FHIR-MAPPING has it: a call that failed says nothing of the coverage. */
const inforceOf: Readonly<Record<string, boolean>> = {
  covered: true,
  patient_not_found: false,
  coverage_expired: false,
  coverage_not_started: false,
  patient_not_covered_unspecified: false,
}

/** What the comparison says of a chart with this `inforce`. */
async function compareForce(status: (typeof patientCoverageStatuses)[number] | null, inforce: boolean | undefined) {
  const bv = aBenefitVerification({ status: 'completed', patient_coverage_status: status })
  const identifier = [{ system: 'urn:example/benefit-verification', value: bv.id }]
  const response = {
    identifier,
    outcome: 'complete',
    insurance: [{ coverage: {}, ...(inforce !== undefined && { inforce }) }],
  }
  const search = (type: string) => Promise.resolve(type === 'CoverageEligibilityResponse' ? [response] : [])
  const found = await benefitVerificationDifferences({ fhir: { search: search as never } }, bv)
  return found.filter((each) => each.startsWith('inforce'))
}

describe('whether a coverage is in force, in a chart', () => {
  it.each([...patientCoverageStatuses, null])('is judged by %s', async (status) => {
    const wanted = inforceOf[status ?? '']
    for (const inforce of [true, false, undefined])
      expect(await compareForce(status, inforce)).toHaveLength(inforce === wanted ? 0 : 1)
  })
})
