import { refuse } from '../../platform/refusal.ts'
import type { Circumstances, Rule } from './content-rule.ts'

const asksForOutreach = ({ request }: Circumstances) => request.provider_outreach?.enabled === true

/** Preconditions of provider outreach (specification, Endpoint rules). */
export const outreachRules: readonly Rule[] = [
  (about) =>
    asksForOutreach(about) && !about.organization.pharmacy ? refuse('provider_outreach_not_supported') : undefined,
  (about) =>
    asksForOutreach(about) && about.request.provider.fax === undefined
      ? refuse('provider_outreach_fax_required')
      : undefined,
  (about) =>
    asksForOutreach(about) && !about.isActiveNpi(about.request.provider.npi) ? refuse('invalid_npi') : undefined,
  (about) =>
    asksForOutreach(about) && about.request.mock_result !== undefined
      ? refuse('provider_outreach_mock_result_conflict')
      : undefined,
]
