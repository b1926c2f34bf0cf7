import type { PushOptions } from '@pawl/sandbox/resource-controls'

type Finding = NonNullable<PushOptions['drugs']>[number]

const free = (days: number) => ({ amount_cents: 0, supply_duration_days: days })

/** What a BV may find about a drug. */
const findings: readonly Finding[] = [
  { coverage: 'covered', prior_authorization_required: 'yes', has_active_prior_auth: null },
  {
    coverage: 'not_covered',
    prior_authorization_required: 'not_applicable',
    coverage_detail_code: 'diagnoses_not_covered',
    copay: null,
    copay_options: [],
  },
  // Costs with different numbers of digits; one is zero.
  {
    coverage: 'covered',
    prior_authorization_required: 'yes',
    has_active_prior_auth: null,
    copay: '$0.00',
    copay_options: [
      free(30),
      { amount_cents: 900, supply_duration_days: 60 },
      { amount_cents: 1050, supply_duration_days: 90 },
    ],
  },
  { coverage: 'covered', prior_authorization_required: 'no', copay: '$9.00', copay_options: [free(30)] },
  { coverage: 'covered', prior_authorization_required: 'yes', has_active_prior_auth: true },
  { coverage: 'covered', prior_authorization_required: 'yes', coverage_detail_code: 'quantity_limit_pa_required' },
]

/** Findings for this many drugs that differ from drug to drug. */
export function mixedFindings(count: number, from: number): Finding[] {
  return Array.from({ length: count }, (_, at) => findings[(from + at) % findings.length] ?? {})
}
