import type { AlertBook } from './alerts/create-alert-book.ts'
import type { AuditTrail } from './audit/create-audit-trail.ts'
import type { Logins } from './audit/logins.ts'
import type { Feed } from './feed/create-feed.ts'
import type { Claims } from './hot/create-claims.ts'
import type { Pauses } from './upkeep/create-pauses.ts'
import type { Intake } from './hot/accept.ts'
import type { Polls } from './hot/create-polls.ts'
import type { Effects } from './hot/effects.ts'
import type { Memories } from './hot/memory.ts'
import type { Outages } from './hot/outages.ts'
import type { OwnChanges } from './hot/own-changes.ts'
import type { Starts } from './hot/starts.ts'
import type { Projections } from './projections/create-projections.ts'
import type { Keys } from './sealing/create-keys.ts'
import type { PatientErasure } from './upkeep/create-patient-erasure.ts'
import type { FailedWork } from './upkeep/create-failed-work.ts'
import type { Repairs } from './upkeep/create-repairs.ts'
import type { Turns } from './upkeep/create-turns.ts'
import type { Upkeep } from './upkeep/create-upkeep.ts'
import type { Views } from './views/create-views.ts'

/** Settings to open a ledger, in a form that can be sent to another thread. */
export interface LedgerSettings {
  /** `file:<path>` or `postgres://…` */
  databaseUrl: string
  /** 32 bytes each, newest first. */
  sealingKeys: readonly Uint8Array[]
  /** With keys, reads plain values as well: the ledger is being sealed for the first time. */
  acceptsPlain?: boolean | undefined
}

/** All ports of the ledger, the only durable truth (docs/design.md). A promise that resolves after a write means: committed and on disk. */
export interface Ledger
  extends
    Intake,
    Claims,
    Effects,
    Starts,
    Memories,
    Feed,
    OwnChanges,
    Polls,
    Pauses,
    Outages,
    Views,
    FailedWork,
    Repairs,
    PatientErasure,
    Upkeep,
    Turns,
    Projections,
    Keys,
    AlertBook,
    AuditTrail,
    Logins {
  /** Waits for writes in progress, then closes; in bounded time. */
  close(): Promise<void>
}
