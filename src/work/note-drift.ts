import { findUnknown } from '../service/schemas/drift.ts'
import type { ResourceKind } from '../service/schemas/kinds.ts'
import type { Intake } from '../ledger/hot/create-intake.ts'

/** Records names in the answer of a GET that the catalogue does not have. */
export function noteDrift(
  ledger: Pick<Intake, 'noteDrift'>,
  { kind, resourceId }: { kind: ResourceKind; resourceId: string },
  data: unknown,
): void {
  const unknown = findUnknown(kind, data)
  if (unknown.length > 0) ledger.noteDrift(unknown.map((each) => ({ ...each, resourceId })))
}
