import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

interface Frame {
  functionName: string
  url: string
}

/** The part of V8's profile that is used here. */
interface Profile {
  nodes: { id: number; callFrame: Frame; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

/** Names the step that a frame belongs to; `undefined`: it works for its caller. */
export type StepOf = (frame: Frame) => string | undefined

/** Adds up, by step, the milliseconds of the CPU profiles (`--cpu-prof`) in a folder: those of the main thread, or of all others. */
export async function sumProfiles(
  folder: string,
  thread: 'main' | 'others',
  stepOf: StepOf,
): Promise<Map<string, number>> {
  const sums = new Map<string, number>()
  for (const name of await readdir(folder)) {
    // CPU.<date>.<time>.<process>.<thread>.<number>.cpuprofile
    const number = /\.(\d+)\.\d+\.cpuprofile$/.exec(name)?.[1]
    if (number === undefined || (number === '0') !== (thread === 'main')) continue
    // V8 wrote it.
    addProfile(sums, JSON.parse(await readFile(join(folder, name), 'utf8')) as Profile, stepOf)
  }
  return sums
}

function addProfile(sums: Map<string, number>, { nodes, samples, timeDeltas }: Profile, stepOf: StepOf): void {
  const callers = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child): [number, number] => [child, id])),
  )
  const steps = new Map<number, string>()
  // A caller always comes before those whom it calls.
  for (const { id, callFrame } of nodes) steps.set(id, stepOf(callFrame) ?? steps.get(callers.get(id) ?? -1) ?? 'other')
  for (const [index, id] of samples.entries()) {
    const step = steps.get(id) ?? 'other'
    sums.set(step, (sums.get(step) ?? 0) + (timeDeltas[index] ?? 0) / 1_000)
  }
}
