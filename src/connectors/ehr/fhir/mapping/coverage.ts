import type { Coverage, CoverageClass } from 'fhir/r4.js'
import type { BenefitVerification } from '../../../../resources/benefit-verification.ts'
import type { InsuranceRecord } from '../../../../resources/shared.ts'
import { text } from './primitives.ts'
import { identifierOf, patientReference } from './references.ts'

const contentFields = ['member_number', 'rx_bin', 'rx_pcn', 'rx_group', 'group_number', 'payer_name'] as const

/** One insurance as the records of its card's sides tell it together. */
type Insurance = Partial<Record<(typeof contentFields)[number], string>>

/** The insurance of a BV as a Coverage; absent where no record could be read. */
export function toCoverage(base: string, benefitVerification: BenefitVerification): Coverage | undefined {
  const insurance = insuranceOf(benefitVerification.insurance)
  if (Object.keys(insurance).length === 0) return undefined
  const classes = [
    coverageClass('rxbin', insurance.rx_bin),
    coverageClass('rxpcn', insurance.rx_pcn),
    coverageClass('rxgroup', insurance.rx_group),
    coverageClass('group', insurance.group_number),
  ].flat()
  return {
    resourceType: 'Coverage',
    identifier: [identifierOf(base, 'benefit-verification', benefitVerification.id)],
    status: 'active',
    subscriberId: insurance.member_number,
    beneficiary: patientReference(base, benefitVerification.patient),
    payor: [{ type: 'Organization', display: insurance.payer_name ?? 'Not stated' }],
    class: classes.length === 0 ? undefined : classes,
  }
}

/** The payer's name, wherever a record has it. */
export function payerName(records: readonly InsuranceRecord[] | undefined): string | undefined {
  return insuranceOf(records).payer_name
}

/**
 * The service keeps one record for each side of a card. What the client stated goes before what was read from a picture, earlier before later;
 * a record with another member number is another insurance, of which nothing is mixed in.
 */
function insuranceOf(records: readonly InsuranceRecord[] | undefined): Insurance {
  const readings = (records ?? []).map(readRecord)
  const member = readings.find(({ member_number }) => member_number !== undefined)?.member_number
  const same = readings.filter(({ member_number }) => member_number === undefined || member_number === member)
  return same.reduceRight((merged, reading) => ({ ...merged, ...reading }), {})
}

function readRecord({ discrete_content, scanned_content }: InsuranceRecord): Insurance {
  const insurance: Insurance = {}
  for (const field of contentFields) {
    const value = text(discrete_content?.[field]) ?? text(scanned_content?.[field])
    if (value !== undefined) insurance[field] = value
  }
  return insurance
}

function coverageClass(code: string, value: string | undefined): CoverageClass[] {
  if (value === undefined) return []
  return [{ type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/coverage-class', code }] }, value }]
}
