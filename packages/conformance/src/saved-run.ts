import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ConfigInvalid } from '@pawl/base/errors'
import { Step } from './steps.ts'

const Life = z.strictObject({ seed: z.int(), steps: z.array(Step) })

/** A list that a process ran, with its sandbox seed. */
export type Life = z.infer<typeof Life>

/** The file of a failed run. `before`: lists that the same process must run first. */
const SavedRun = Life.extend({ rule: z.string(), before: z.array(Life).optional() })
export type SavedRun = z.infer<typeof SavedRun>

/** Writes the run to the folder; resolves with the file's path. */
export async function saveRun(folder: string, run: SavedRun): Promise<string> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${run.rule}-${run.seed}.json`)
  await writeFile(path, `${JSON.stringify(run, undefined, 2)}\n`)
  return path
}

/** Throws `ConfigInvalid` for any other file. */
export async function readRun(path: string): Promise<SavedRun> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) throw new ConfigInvalid(`${path} cannot be read.`)
  try {
    return SavedRun.parse(JSON.parse(text))
  } catch {
    throw new ConfigInvalid(`${path} is not a saved run: it needs rule, seed and steps.`)
  }
}
