import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemCodeOf } from '../../errors.ts'
import { isDay } from './body-key.ts'
import { type BodyStore, BodyStoreAway } from './body-store.ts'

/** Listed at once. */
const pageSize = 1_000
/** A folder of another machine may hang for ever. */
const timeoutMs = 20_000

/** Keeps bodies in a folder for its owner alone: one folder a day, one file a body. The folder is made where the one above it is there. */
export function createFolderStore(folder: string): BodyStore {
  const root = resolve(folder)

  function pathOf(key: string): string {
    const path = resolve(root, key)
    if (!path.startsWith(root + sep)) throw new BodyStoreAway('A body was asked for outside the folder of BODY_STORE.')
    return path
  }

  async function write(path: string, bytes: Uint8Array): Promise<void> {
    const unfinished = `${path}.${randomBytes(6).toString('hex')}.unfinished`
    try {
      const file = await open(unfinished, 'wx', 0o600)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(unfinished, path)
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined)
      throw error
    }
    await syncFolder(dirname(path))
  }

  return {
    put: (key, bytes) =>
      orAway(async () => {
        const path = pathOf(key)
        const day = dirname(path)
        const isNewRoot = (await mkdirOnce(root)) !== undefined
        if (isNewRoot) await syncFolder(dirname(root))
        if ((await mkdirOnce(day)) !== undefined) await syncFolder(root)
        await write(path, bytes)
      }),
    get: (key) => orAway(() => orNothing(readFile(pathOf(key)))),
    delete: (keys) =>
      orAway(async () => {
        const days = new Set<string>()
        for (const key of keys) {
          const path = pathOf(key)
          await rm(path, { force: true })
          days.add(dirname(path))
        }
        for (const day of days) {
          await orNothing(syncFolder(day))
          // Where it is empty now.
          await rmdir(day).catch(() => undefined)
        }
      }),
    days: () => orAway(async () => ((await orNothing(readdir(root))) ?? []).filter(isDay)),
    list: (day, cursor = '') =>
      orAway(async () => {
        const names = ((await orNothing(readdir(pathOf(day)))) ?? []).toSorted().filter((name) => name > cursor)
        const page = names.slice(0, pageSize)
        return {
          keys: page.map((name) => `${day}/${name}`),
          cursor: names.length > pageSize ? page.at(-1) : undefined,
        }
      }),
  }
}

/** Makes the folder where it is missing; its path where it was. The one above it must be there. */
async function mkdirOnce(path: string): Promise<string | undefined> {
  try {
    await mkdir(path, { mode: 0o700 })
    return path
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return undefined
    throw error
  }
}

/** Makes names that were added to it or taken from it durable. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function orNothing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function orAway<T>(work: () => Promise<T>): Promise<T> {
  const timer = new AbortController()
  const late = sleep(timeoutMs, undefined, { signal: timer.signal }).then(
    () => Promise.reject(new BodyStoreAway('The folder of BODY_STORE does not answer in time.')),
    // Nobody waits for it any more.
    () => new Promise<never>(() => {}),
  )
  try {
    return await Promise.race([work(), late])
  } catch (error) {
    if (error instanceof BodyStoreAway) throw error
    throw new BodyStoreAway(`The folder of BODY_STORE cannot be used (${systemCodeOf(error) ?? 'unexpected'}).`, {
      cause: error,
    })
  } finally {
    timer.abort()
  }
}
