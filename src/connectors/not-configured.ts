import { PawlError } from '../base/errors.ts'
import type { System } from '../systems/system.ts'

/** A handler wants to write to a system that the settings do not name; its work parks until they do. */
export class ConnectorNotConfigured extends PawlError {
  readonly code = 'connector_not_configured'

  constructor(setting: string) {
    super(
      `Set ${setting}, or take the handlers that write there out of src/integration/index.ts; then retry the parked work.`,
    )
  }
}

/** Stands in for a system that production has not been told of: nothing is ever written to nowhere. */
export function notConfigured<Port extends object>(setting: string): System<Port> {
  const refuse = () => Promise.reject(new ConnectorNotConfigured(setting))
  // Whatever method is asked for refuses, so it stands for any port.
  const port = new Proxy({}, { get: () => refuse }) as Port
  return {
    open: () => port,
    check: () => Promise.resolve({ ok: false, findings: [`${setting} is not set.`] }),
    notice: `${setting} is not set: what would be written there will park`,
  }
}
