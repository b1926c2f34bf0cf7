import { canvas } from './canvas.ts'
import { demandingAthenaPractice } from './demanding/demanding-athenapractice.ts'
import { demandingCanvas } from './demanding/demanding-canvas.ts'
import { demandingEpic } from './demanding/demanding-epic.ts'
import { demandingOracleHealth } from './demanding/demanding-oracle-health.ts'
import { validatingMedplum, validatingUsCore } from './demanding/validating.ts'
import { epic } from './epic.ts'
import { everything } from './everything.ts'
import { oracleHealth } from './oracle-health.ts'
import { remembering } from './remembering.ts'
import { readOnly } from './read-only.ts'

/** Charts that take all valid R4, as far as their capabilities go: for pawl they are `r4`. */
export const lenientProfiles = [epic, oracleHealth, canvas, readOnly, remembering, everything] as const

/** Charts that hold to what their vendors demand besides. */
export const demandingProfiles = [
  demandingEpic,
  demandingOracleHealth,
  demandingCanvas,
  demandingAthenaPractice,
  validatingUsCore,
  validatingMedplum,
] as const

/** Every kind of chart that the connector is held against. */
export const profiles = [...lenientProfiles, ...demandingProfiles] as const
