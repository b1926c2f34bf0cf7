import { z } from 'zod'
import type { PauseTarget } from '@pawl/ledger/hot/pause'
import { allWork, isSameTarget, PauseTargetQuery } from './pausing.ts'

/** A system that was just probed, and the number of resources that try it. */
export interface Probed {
  system: string
  resources: number
}

/** A target that was just resumed, and the number of resources made due; a pause of all work leaves them due. */
export interface Resumed {
  target: PauseTarget
  resources: number
}

export interface ReadResultDeps {
  targets: readonly PauseTarget[]
  readBreakers: () => Record<string, string>
}

const Resources = z.coerce.number().int().min(0)
const ProbedQuery = z.object({ probed: z.string(), resources: Resources })
const ResumedQuery = PauseTargetQuery.extend({ resumed: Resources })

/** Reads the result of the previous form from an address; ignores unknown names, since an address may hold any text. */
export type ReadResult = (query: unknown) => { probed: Probed | undefined; resumed: Resumed | undefined }

export function createReadResult({ targets, readBreakers }: ReadResultDeps): ReadResult {
  return (query) => {
    const probed = ProbedQuery.safeParse(query).data
    const isKnown = probed !== undefined && Object.hasOwn(readBreakers(), probed.probed)
    const resumed = ResumedQuery.safeParse(query).data
    const target = [allWork, ...targets].find((each) => resumed !== undefined && isSameTarget(each, resumed))
    return {
      probed: isKnown ? { system: probed.probed, resources: probed.resources } : undefined,
      resumed: resumed && target && { target, resources: resumed.resumed },
    }
  }
}
