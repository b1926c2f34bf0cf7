import { awaitsWork } from './awaits-work.ts'
import { boundedReads } from './bounded-reads.ts'
import { boundedRequests } from './bounded-requests.ts'
import { equalStates } from './equal-states.ts'
import { failedWrites } from './failed-writes.ts'
import { freeLoop } from './free-loop.ts'
import { inSync } from './in-sync.ts'
import { keepsRunning } from './keeps-running.ts'
import { keptApart } from './kept-apart.ts'
import { noEffectTwice } from './no-effect-twice.ts'
import { noLostUpdate } from './no-lost-update.ts'
import { noPatientData } from './no-patient-data.ts'
import { nothingLeft } from './nothing-left.ts'
import { orderKept } from './order-kept.ts'
import { ownResources } from './own-resources.ts'
import { rateLimits } from './within-rate-limits.ts'
import type { Rule } from './rule.ts'
import { signaturesChecked } from './signatures-checked.ts'
import { stopsInTime } from './stops-in-time.ts'
import { unknownTolerated } from './unknown-tolerated.ts'
import { valuesKept } from './values-kept.ts'

/** Rules that judge a single run, narrowest cause first. */
export const rules: readonly Rule[] = [
  noPatientData,
  awaitsWork,
  keepsRunning,
  freeLoop,
  stopsInTime,
  nothingLeft,
  rateLimits,
  boundedReads,
  boundedRequests,
  keptApart,
  valuesKept,
  ownResources,
  noLostUpdate,
  unknownTolerated,
  signaturesChecked,
  noEffectTwice,
  orderKept,
  failedWrites,
  equalStates,
  inSync,
]
