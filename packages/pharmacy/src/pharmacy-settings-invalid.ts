import { ConfigInvalid } from '@pawl/base/errors'

/** The pharmacy's settings contradict each other: pawl does not start. The message names settings, columns and paths, never an address or secret. */
export class PharmacySettingsInvalid extends ConfigInvalid {
  constructor(faults: readonly string[]) {
    super(`Fix these settings (see .env.example):\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
  }
}
