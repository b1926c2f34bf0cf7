import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** Something that must never happen did. */
export class Fault extends Error {}

/** Throws a `Fault` that says `what`, unless it holds. */
export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Fault(what)
}

const prototypes = { Object, Array, String, Number, Function, Promise, Map, Buffer }

/** Notes how the prototypes of this process look; the returned function throws once they look otherwise. */
export function watchPrototypes(): () => void {
  const look = () =>
    Object.entries(prototypes)
      .map(([name, { prototype }]) => `${name}: ${Reflect.ownKeys(prototype).map(String).join(' ')}`)
      .join('\n')
  const before = look()
  return () => {
    must(look() === before, 'a prototype has other properties than before')
    must(!('polluted' in {}), 'every object has a property of the sender')
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Notes what lies in the project, builds aside; the returned function throws once something else does, or the folder holds a file of another name. */
export async function watchFiles(folder: string, mayHold: RegExp): Promise<() => Promise<void>> {
  const look = async () =>
    (await readdir(root))
      .filter((name) => name !== 'dist')
      .toSorted()
      .join('\n')
  const before = await look()
  return async () => {
    const strange = (await readdir(folder, { recursive: true })).filter((name) => !mayHold.test(name))
    must(strange.length === 0, `files that nothing writes: ${strange.join(', ')}`)
    must((await look()) === before, 'a file was written into the project')
  }
}

/** Throws unless the server still answers. */
export async function mustBeAlive(url: string): Promise<void> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(90_000) }).catch((error: unknown) => {
    throw new Fault(`${url} does not answer any more`, { cause: error })
  })
  must(answer.status === 200, `${url} answers ${answer.status}`)
  await answer.arrayBuffer()
}
