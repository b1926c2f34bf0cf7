import { ServerMissing, type Stage } from './stage.ts'

/** A server that is there only where its system package is installed. */
export type Need = 'redis' | 'postgres'

/** Who takes part only where these can be started. Default: everywhere. */
export interface Needing {
  name: string
  /** Chooses it by `--contenders`; without one it always takes part. */
  key?: string
  needs?: readonly Need[]
}

/** Why it cannot take part here, in one line; `undefined` when it can. Starts what it needs. */
export async function findLack({ needs = [] }: Needing, stage: Stage): Promise<string | undefined> {
  for (const need of needs) {
    try {
      await stage[need]()
    } catch (error) {
      if (error instanceof ServerMissing) return error.message
      throw error
    }
  }
  return undefined
}

/** Those that can take part here; `leaveOut` is told of each other one, and why. */
export async function selectAble<T extends Needing>(
  all: readonly T[],
  stage: Stage,
  leaveOut: (line: string) => void,
): Promise<T[]> {
  const able: T[] = []
  for (const one of all) {
    const lack = await findLack(one, stage)
    if (lack === undefined) able.push(one)
    else leaveOut(`left out: ${one.name}. ${lack}.`)
  }
  return able
}
