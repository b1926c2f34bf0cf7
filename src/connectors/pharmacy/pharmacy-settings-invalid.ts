import { PawlError } from '../../base/errors.ts'

/** The pharmacy's settings do not fit together: pawl does not start. The message names settings, columns and paths, and no address or secret. */
export class PharmacySettingsInvalid extends PawlError {
  readonly code = 'pharmacy_settings_invalid'

  constructor(faults: readonly string[]) {
    super(`Fix these settings (see .env.example):\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
  }
}
