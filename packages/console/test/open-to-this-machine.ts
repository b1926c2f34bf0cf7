import { createAddressRanges } from '../../base/src/net/address-ranges.ts'
import type { AccessSettings } from '../src/access/create-access.ts'

/** Access without authentication. */
export const openToThisMachine: AccessSettings = {
  password: undefined,
  users: [],
  publicUrl: undefined,
  proxy: undefined,
  oidc: undefined,
  trustedProxies: createAddressRanges([]),
  sessionKey: undefined,
}
