import type {
  Activity,
  ConfirmationAttempt,
  Message,
  PrescriptionTransfer,
  PriorAuthorization,
  TransferAttempt,
} from 'pawl-client/schemas/prior-authorization'
import type { Outcome } from 'pawl-client/schemas/outcome'
import type { BenefitVerification } from 'pawl-client/schemas/benefit-verification'
import type { ResourceKind, ResourceOfKind } from 'pawl-client/schemas/kinds'
import { isAddressField, isSameState } from 'pawl-client/schemas/same-state'
import type { ProviderOutreach } from 'pawl-client/schemas/provider-outreach'

/** A value that differs from the handler's baseline; `from` is absent for a new one. */
export interface Change<T> {
  readonly from: T | undefined
  readonly to: T | undefined
}

interface Changes<Status extends string> {
  /** True until the handler first succeeds with this resource. */
  readonly isFirst: boolean
  readonly status: Change<Status> | undefined
}

export interface PriorAuthorizationChanges extends Changes<PriorAuthorization['status']> {
  readonly outcome: Change<Outcome> | undefined
  readonly prescriptionTransfer: Change<PrescriptionTransfer> | undefined
  readonly newMessages: readonly Message[]
  readonly newTransferAttempts: readonly TransferAttempt[]
  readonly newConfirmationAttempts: readonly ConfirmationAttempt[]
  readonly newActivity: readonly Activity[]
}

export type BenefitVerificationChanges = Changes<BenefitVerification['status']>
export type ProviderOutreachChanges = Changes<string>

interface ChangesByKind {
  prior_authorization: PriorAuthorizationChanges
  benefit_verification: BenefitVerificationChanges
  provider_outreach: ProviderOutreachChanges
}
export type ChangesOfKind<K extends ResourceKind> = ChangesByKind[K]

const computers: {
  [K in ResourceKind]: (now: ResourceOfKind<K>, before: ResourceOfKind<K> | undefined) => ChangesByKind[K]
} = {
  prior_authorization: priorAuthorizationChanges,
  benefit_verification: (now, before) => statusChanges(now, before),
  provider_outreach: (now, before) => outreachChanges(now, before),
}

/**
 * Computes the differences from the snapshot of the handler's last success (docs/design.md, rule 6). Lists in the result contain only additions.
 * A value equal to that snapshot's, but different in a failed run since (`tried`), counts as changed: that run may have passed it on.
 */
export function computeChanges<K extends ResourceKind>(
  kind: K,
  now: ResourceOfKind<K>,
  before: ResourceOfKind<K> | undefined,
  tried: readonly ResourceOfKind<K>[] = [],
): ChangesOfKind<K> {
  const changes = computers[kind](now, before)
  for (const failed of tried.toReversed()) {
    const { isFirst: _, ...others } = computers[kind](now, failed)
    for (const [name, value] of Object.entries(others)) {
      // Additions do not depend on failed runs.
      if (!Array.isArray(value) && changes[name as keyof typeof changes] === undefined)
        Object.assign(changes, { [name]: value })
    }
  }
  return changes
}

function priorAuthorizationChanges(
  now: PriorAuthorization,
  before: PriorAuthorization | undefined,
): PriorAuthorizationChanges {
  const transfer = now.prescription_transfer
  const transferBefore = before?.prescription_transfer
  return {
    ...statusChanges(now, before),
    outcome: change(before?.outcome, now.outcome),
    prescriptionTransfer: change(transferBefore, transfer),
    newMessages: added(before?.message_thread?.messages, now.message_thread?.messages),
    newTransferAttempts: added(transferBefore?.transfer_attempts, transfer?.transfer_attempts),
    newConfirmationAttempts: added(transferBefore?.confirmation_attempts, transfer?.confirmation_attempts),
    newActivity: added(before?.activity_log, now.activity_log),
  }
}

function statusChanges<Status extends string>(
  now: { status: Status },
  before: { status: Status } | undefined,
): Changes<Status> {
  return { isFirst: before === undefined, status: change(before?.status, now.status) }
}

function outreachChanges(now: ProviderOutreach, before: ProviderOutreach | undefined): ProviderOutreachChanges {
  return { isFirst: before === undefined, status: change(before?.state, now.state) }
}

function change<T>(from: T | undefined, to: T | undefined): Change<T> | undefined {
  return isSameState(from, to) ? undefined : { from, to }
}

/** Items absent from `before`: compared by id, else by content without the signatures of addresses. */
function added<T extends object>(before: readonly T[] | undefined, now: readonly T[] | undefined): T[] {
  const known = new Set(before?.map(identity))
  return (now ?? []).filter((item) => !known.has(identity(item)))
}

function identity(item: object): string {
  return 'id' in item && typeof item.id === 'string' ? item.id : JSON.stringify(item, unsigned)
}

function unsigned(field: string, value: unknown): unknown {
  return isAddressField(field) && typeof value === 'string' ? value.replace(/\?.*$/s, '') : value
}
