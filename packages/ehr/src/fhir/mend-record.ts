import type { Mending } from '@pawl/base/system-notes'
import type { FoundRecord, RunContext } from '@pawl/connector/system'
import type { ChartClient } from './chart-client.ts'
import { sharedTypes } from './chart-store.ts'
import { type StoredType, storedTypes } from './chart-types.ts'
import { shownDigest, toComparable } from './content-mark.ts'
import { noteAbsent, noteInDoubt, noteOf } from './memo.ts'
import { digestOf } from './owned.ts'
import type { Plans } from './plans.ts'
import type { StoredResource } from './stored-resource.ts'
import { withdraw } from './withdraw.ts'

export interface MendDeps {
  client: Pick<ChartClient, 'read' | 'readAttachment' | 'update' | 'remove'>
  plans: Pick<Plans, 'of' | 'capabilitiesOf'>
  run: Pick<RunContext, 'memory' | 'digest' | 'wrote'>
}

/** Mends one disorder: a missing or changed record is doubted, so that the next run writes it; an orphaned one in whose place nothing stands is remembered again; another superfluous one is taken back. Throws `EhrWriteFailed` if another attempt may pass, and `MemoryTaken`. */
export async function mendRecord({ client, plans, run }: MendDeps, record: FoundRecord): Promise<Mending> {
  const { id, is, role } = record
  const type = storedTypes.find((each) => each === record.type)
  if (type === undefined) return 'left'
  const plan = await plans.of(type)
  if (is === 'twice' || is === 'orphaned') {
    const held = await client.read(type, id)
    if (held === undefined) return 'gone already'
    if (role !== undefined) {
      if (sharedTypes.has(type)) await run.memory.share(role)
      run.memory.note(role, await noteOfHeld({ client, run }, type, held))
      return 'remembered'
    }
    const stated = await plans.capabilitiesOf(type)
    const way = await withdraw(client, { held, plan, stated }, ['entered in error', 'cancelled', 'deleted'])
    if (way !== undefined) run.wrote({ type, id })
    return way ?? 'left'
  }
  // A message that is only created stays as others changed it.
  const staysAsIs = is === 'changed' && plan.strategy === 'create' && type !== 'DocumentReference'
  const isWritable = (is === 'missing' || is === 'changed') && plan.strategy !== 'skip' && !staysAsIs
  if (role === undefined || !isWritable) return 'left'
  if (sharedTypes.has(type)) await run.memory.share(role)
  run.memory.note(role, is === 'missing' ? noteAbsent : noteInDoubt(id))
  return 'written anew'
}

/** A note of the chart's resource as if pawl had written it so; the next run writes what it says otherwise. */
async function noteOfHeld({ client, run }: Pick<MendDeps, 'client' | 'run'>, type: StoredType, held: StoredResource) {
  const { content } = await toComparable(client, held, undefined)
  const digest = digestOf(run.digest, type, content, [])
  const [shown = ''] = shownDigest(run.digest, type, content)
  return noteOf({ id: held.id, version: held.meta?.versionId }, { digest, rest: 'unknown', shown })
}
