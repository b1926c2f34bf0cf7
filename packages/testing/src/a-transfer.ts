import { PrescriptionTransfer } from 'pawl-client/schemas/prior-authorization'
import { type Exact, type Overrides, withOverrides } from './overrides.ts'
import { refuse } from './refuse.ts'

/** A prescription transfer, by default after one attempt. Throws TypeError where the service would never send it. */
export function aTransfer(different: Overrides<PrescriptionTransfer> = {}): Exact<PrescriptionTransfer> {
  const status = different.status ?? (different.error_code ? 'error' : 'in_progress')
  const isConfirmed = different.confirmed ?? status === 'completed'
  const defaults = {
    status,
    confirmed: isConfirmed,
    error_code: status === 'error' ? 'other' : null,
    transfer_attempts: [{ timestamp: '2026-03-01T10:00:00Z', pharmacy_ncpdp_id: '1234567' }],
    confirmation_attempts: isConfirmed ? [{ timestamp: '2026-03-01T12:00:00Z', outcome: 'success' }] : [],
  }
  const built = PrescriptionTransfer.parse(withOverrides(defaults, different))
  const wasConfirmed = built.confirmation_attempts?.some(({ outcome }) => outcome === 'success') === true
  refuse('prescription transfer', [
    (built.status === 'error') !== (built.error_code !== undefined) &&
      'A transfer has an error_code if and only if its status is error: give both, or neither.',
    (built.confirmed === true) !== wasConfirmed &&
      'A transfer is confirmed if and only if one of confirmation_attempts is a success: make them agree.',
    built.confirmed === true && built.status === 'error' && 'A failed transfer is not confirmed: leave out confirmed.',
  ])
  // The compiler cannot see that defaults and overrides hold documented words only.
  return built as Exact<PrescriptionTransfer>
}
