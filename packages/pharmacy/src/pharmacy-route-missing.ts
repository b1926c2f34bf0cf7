import { PawlError } from '@pawl/base/errors'

/** The settings do not name the pharmacy of a transfer; its work parks until they do. */
export class PharmacyRouteMissing extends PawlError {
  readonly code = 'pharmacy_route_missing'
  readonly system = 'pharmacy'

  constructor({ resourceId, ncpdpId }: { resourceId: string; ncpdpId: string }) {
    super(
      `No pharmacy is set for NCPDP id ${ncpdpId}, where the prescription of ${resourceId} goes: add it to PHARMACY_ROUTES, or set PHARMACY_URL for all others; then retry the parked work.`,
    )
  }
}
