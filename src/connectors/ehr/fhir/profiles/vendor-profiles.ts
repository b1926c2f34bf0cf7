import { athenaPractice } from './athenapractice.ts'
import { canvas } from './canvas.ts'
import { epic } from './epic.ts'
import { medplum } from './medplum.ts'
import { oracleHealth } from './oracle-health.ts'
import type { ProfileName, VendorProfile } from './profile.ts'
import { r4 } from './r4.ts'
import { usCore } from './us-core.ts'

export const vendorProfiles: Readonly<Record<ProfileName, VendorProfile>> = {
  r4,
  'us-core': usCore,
  epic,
  'oracle-health': oracleHealth,
  canvas,
  athenapractice: athenaPractice,
  medplum,
}

/** The profile of a chart that states these names of itself; `r4` for an unknown one. */
export function recogniseProfile(names: readonly string[]): VendorProfile {
  const found = Object.values(vendorProfiles).find(({ recognisedBy }) => names.some((name) => recognisedBy?.test(name)))
  return found ?? r4
}
