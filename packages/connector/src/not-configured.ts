import { PawlError } from '@pawl/base/errors'
import { integrationFile } from '@pawl/base/integration-file'
import type { System } from './system.ts'

/** A handler writes to a system that the settings do not name; its work parks until they do. */
export class ConnectorNotConfigured extends PawlError {
  readonly code = 'connector_not_configured'

  constructor(setting: string) {
    super(
      `Set ${setting}, or take the handlers that write there out of ${integrationFile()}; then retry the parked work.`,
    )
  }
}

/** Stands in for a system without settings in production: every write parks. */
export function notConfigured<Port extends object>(setting: string): System<Port> {
  const refuse = () => Promise.reject(new ConnectorNotConfigured(setting))
  // Every method refuses, so it stands in for any port.
  const port = new Proxy({}, { get: () => refuse }) as Port
  return {
    open: () => port,
    check: () => Promise.resolve({ ok: false, findings: [`${setting} is not set.`] }),
    notice: `${setting} is not set: writes to it will park`,
  }
}
